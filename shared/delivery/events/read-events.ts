import { fail } from '../../platform/errors.ts';
import type { Database } from '../unit-of-work/database.ts';
import { readStream } from './event.store.ts';
import type { EventBody, Stream } from './event.ts';

export interface EventPage {
  events: EventBody[];
  /** Pass as the next `after_id`; null when there is nothing newer. */
  nextCursor: string | null;
}

/**
 * A page of a partner's history, oldest first, complete whatever commits meanwhile.
 * @throws invalid_cursor when `afterId` is not an event of this partner and environment
 */
export async function listEvents(
  { db }: { db: Database },
  stream: Stream,
  options: { afterId: string | null; limit: number },
): Promise<EventPage> {
  const { known, events } = await readStream(db.knex, stream, {
    ...options,
    limit: options.limit + 1,
  });
  if (!known) {
    throw fail('invalid_cursor', { message: 'after_id is not the id of one of your events.' });
  }
  const page = events.slice(0, options.limit);
  const more = events.length > options.limit;
  return { events: page, nextCursor: more ? (page.at(-1)?.id ?? null) : null };
}
