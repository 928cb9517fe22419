import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import * as store from './delivery-work.store.ts';

export type { DeliveryBacklog } from './delivery-work.store.ts';

/** The endpoints of all partners by how they fare, and what is due to them. */
export function readDeliveryBacklog({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<store.DeliveryBacklog[]> {
  return db.readForMonitoring((sql) => store.countDeliveryBacklog(sql, clock.now()));
}
