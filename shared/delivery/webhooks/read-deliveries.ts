import type { Clock } from '../../platform/clock.ts';
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

/** A page of the delivery log with every attempt, newest first; `nextBefore` is the id to go on below, or null. */
export async function listDeliveries(
  { db }: { db: Database },
  owner: EndpointOwner,
  options: DeliveryFilter & { before: string | null; limit: number },
): Promise<{ deliveries: Delivery[]; nextBefore: string | null }> {
  const found = await readDeliveries(db.knex, owner, { ...options, limit: options.limit + 1 });
  const deliveries = found.slice(0, options.limit);
  const more = found.length > options.limit;
  return { deliveries, nextBefore: more ? (deliveries.at(-1)?.id ?? null) : null };
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
