import type { PartitionedLog } from '../../platform/database/partitioned-log.ts';
import { fail } from '../../platform/errors.ts';
import { firstIdOf } from '../../platform/ids.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import type { EventBody, Stream } from '../event-types/event.ts';
import type { Database } from '../unit-of-work/database.ts';
import { type NewestEvent, readStream, selectNewest } from './event.store.ts';

export type { NewestEvent };

/** The history of all partners, with one partition per month; no partition is ever dropped. */
export const EVENT_LOG: PartitionedLog = {
  table: 'events',
  key: 'id',
  firstIdAt: firstIdOf('event'),
  period: 'month',
};

/**
 * Returns a page of a partner's history, oldest first, without gaps even if other transactions commit meanwhile.
 * @throws invalid_cursor if `afterId` is not an event of this partner and environment
 */
export async function listEvents(
  { db }: { db: Database },
  stream: Stream,
  { afterId, limit }: { afterId: string | null; limit: number },
): Promise<Page<EventBody>> {
  const read = async (limit: number) => {
    const { known, events } = await readStream(db.knex, stream, { afterId, limit });
    if (known) return events;
    throw fail('invalid_cursor', { message: 'after_id is not the ID of one of your events.' });
  };
  return readPage(limit, read, idOf);
}

/** Returns a page of a partner's history, newest first; the cursor is the position of an event. */
export function listNewestEvents(
  { db }: { db: Database },
  { partnerId, environment }: Stream,
  { before, limit }: { before: number | null; limit: number },
): Promise<Page<NewestEvent, number>> {
  const read = (limit: number) =>
    selectNewest.all(db.knex, { partnerId, environment, before, limit });
  return readPage(limit, read, ({ position }) => position);
}
