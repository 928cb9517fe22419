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

// A page of the console shows rows from the tables of many features. These functions read them together and change
// nothing.

/** How much waits for people, by environment and queue. */
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
  // People who renew by hand know it better than we do.
  const renews = config.registrarLive !== 'manual';
  return db.readForMonitoring((sql) => store.selectOpenWork.one(sql, { now, renews }));
}

/** What the last recount of the ledger said; null before the first one. */
export async function readLedgerCheckSummary({
  db,
}: {
  db: Database;
}): Promise<store.LedgerCheckSummary | null> {
  const found = await db.readForMonitoring((sql) => store.selectLedgerCheckSummary.first(sql));
  return found ?? null;
}

/**
 * Refund, ledger entries, webhook deliveries and audit trail of an order.
 * @param moments when something happened to it, as its timeline tells: then its events were made
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
