import type { Database } from '../platform/db.ts';
import { listInReview } from './order.store.ts';
import type { Order } from './order.ts';

/** Up to `limit` orders of all partners that wait for a decision of ops, oldest first. */
export function listReviewQueue({ db }: { db: Database }, limit: number): Promise<Order[]> {
  return listInReview(db.knex, limit);
}
