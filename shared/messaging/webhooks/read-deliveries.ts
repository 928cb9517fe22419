import type { Clock } from '../../platform/clock.ts';
import { idRangeAt } from '../../platform/ids.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import type { Database } from '../unit-of-work/database.ts';
import { readDeliveries } from './delivery.store.ts';
import type { Delivery, DeliveryStatus } from './delivery.ts';
import * as store from './delivery-backlog.store.ts';
import type { EndpointOwner } from './endpoint.ts';

export type { DeliveryBacklog } from './delivery-backlog.store.ts';

/** A filter for a partner's deliveries; omitted fields do not filter. */
export interface DeliveryFilter {
  endpointId?: string | null;
  eventId?: string | null;
  /** A type, or a pattern like `order.*`. */
  eventType?: string | null;
  status?: DeliveryStatus | null;
  /** When the delivery was scheduled: `from` is inclusive, `to` exclusive. */
  from?: Date | null;
  to?: Date | null;
}

/** Returns a page of the delivery log with all attempts, newest first. */
export function listDeliveries(
  { db }: { db: Database },
  owner: EndpointOwner,
  filter: DeliveryFilter & { before: string | null; limit: number },
): Promise<Page<Delivery>> {
  const { endpointId = null, eventId = null, eventType = null, status = null } = filter;
  // Ids sort by time, so a time translates to an id.
  const idAt = (at: Date | null | undefined) =>
    at ? idRangeAt('webhookDelivery', at).first : null;
  const end = idAt(filter.to);
  const before =
    end !== null && (filter.before === null || end < filter.before) ? end : filter.before;
  const wanted = { endpointId, eventId, eventType, status, fromId: idAt(filter.from), before };
  const read = (limit: number) => readDeliveries(db.knex, owner, { ...wanted, limit });
  return readPage(filter.limit, read, idOf);
}

/** Returns the number of endpoints of all partners by health class, and their due deliveries. */
export function readDeliveryBacklog({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<store.DeliveryBacklog[]> {
  return db.readForMonitoring((sql) => store.selectDeliveryBacklog.all(sql, { now: clock.now() }));
}
