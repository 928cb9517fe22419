import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { idRangeAt } from '../../platform/ids.ts';
import * as store from './console-read-model.store.ts';

export type {
  LedgerCheckSummary,
  OrderHistory,
  WorkByEnvironment,
  WorkCounts,
} from './console-read-model.store.ts';

// Console pages show rows from the tables of many features. These functions read them together and change nothing.

/** Counts the open work for staff, by environment and queue. */
export function countOpenWork({
  db,
  clock,
  config,
}: {
  db: Database;
  clock: Clock;
  config: Pick<Config, 'registrarLive'>;
}): Promise<store.WorkByEnvironment> {
  const now = clock.now();
  // With manual renewals, staff already know which are open.
  const renews = config.registrarLive !== 'manual';
  return db.readForMonitoring((sql) => store.selectOpenWork.one(sql, { now, renews }));
}

/** Returns the result of the latest ledger check; null before the first. */
export async function readLedgerCheckSummary({
  db,
}: {
  db: Database;
}): Promise<store.LedgerCheckSummary | null> {
  const found = await db.readForMonitoring((sql) => store.selectLedgerCheckSummary.first(sql));
  return found ?? null;
}

/**
 * Returns the refund, ledger entries, webhook deliveries and audit trail of an order.
 * @param moments the times in the order's timeline, at which its events were created
 */
export function readOrderHistory(
  { db }: { db: Database },
  orderId: string,
  moments: readonly Date[],
): Promise<store.OrderHistory> {
  const instants = [...new Set(moments.map((moment) => moment.getTime()))];
  const ranges = instants.map((instant) => idRangeAt('event', new Date(instant)));
  return store.readOrderHistory(db.knex, orderId, {
    firsts: ranges.map((range) => range.first),
    lasts: ranges.map((range) => range.last),
  });
}
