import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { deleteFailedPayments } from './payment.store.ts';
import { deleteEndedPayments } from './sandbox-payment.store.ts';

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Deletes up to `limit` payments that failed CHECKOUT_KEEP_DAYS ago, and says how many. Payments that moved money
 * are kept for good, also those that went back.
 */
export function prunePayments({ db, clock, config }: Deps, limit: number): Promise<number> {
  return deleteFailedPayments(db.knex, addMs(clock.now(), -config.checkoutKeepDays * DAY), limit);
}

/** Deletes up to `limit` payments of the sandbox's provider that can neither be taken nor given back any more. */
export function pruneSandboxPayments({ db, clock, config }: Deps, limit: number): Promise<number> {
  return deleteEndedPayments(db.knex, addMs(clock.now(), -config.sandboxKeepDays * DAY), limit);
}
