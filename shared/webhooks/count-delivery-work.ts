import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import * as store from './delivery-work.store.ts';

export type { DeliveryWork } from './delivery-work.store.ts';

/** The endpoints of all partners by how they fare, and what is due to them. */
export function countDeliveryWork({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<store.DeliveryWork[]> {
  return db.watch((sql) => store.countDeliveryWork(sql, clock.now()));
}
