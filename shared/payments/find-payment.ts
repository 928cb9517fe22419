import type { Sql } from '../platform/db.ts';
import * as store from './payment.store.ts';
import type { Payment } from './payment.ts';

/** The session's payment that did not fail, if there is one: under way, succeeded, or given back. */
export function findSessionPayment(sql: Sql, sessionId: string): Promise<Payment | undefined> {
  return store.findLive(sql, sessionId);
}

/** A payment of any partner. */
export function findPayment(sql: Sql, id: string): Promise<Payment | undefined> {
  return store.findById(sql, id);
}
