import type { Clock } from '../../platform/clock.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import type { Database } from '../unit-of-work/database.ts';
import { readDeliveries } from './delivery.store.ts';
import type { Delivery, DeliveryStatus } from './delivery.ts';
import * as store from './delivery-backlog.store.ts';
import type { EndpointOwner } from './endpoint.ts';

export type { DeliveryBacklog } from './delivery-backlog.store.ts';

export interface DeliveryFilter {
  eventId: string | null;
  status: DeliveryStatus | null;
}

/** A page of the delivery log with every attempt, newest first. */
export function listDeliveries(
  { db }: { db: Database },
  owner: EndpointOwner,
  filter: DeliveryFilter & { before: string | null; limit: number },
): Promise<Page<Delivery>> {
  const read = (limit: number) => readDeliveries(db.knex, owner, { ...filter, limit });
  return readPage(filter.limit, read, idOf);
}

/** The endpoints of all partners by how they fare, and what is due to them. */
export function readDeliveryBacklog({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<store.DeliveryBacklog[]> {
  return db.readForMonitoring((sql) => store.selectDeliveryBacklog.all(sql, { now: clock.now() }));
}
