import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, HOUR } from '../../platform/clock.ts';
import {
  countEntries,
  INVARIANT_NAMES,
  type InvariantName,
  insertCheck,
  selectChecks,
  selectEntryBeyond,
  selectLastCleanCheck,
  selectViolations,
  setLongTimeout,
  setSnapshotIsolation,
  type Violation,
} from './ledger-check.store.ts';
import {
  collectRecentChanges,
  RECENT_INVARIANTS,
  selectRecentViolations,
} from './recent-changes.store.ts';

/** A violation of a check; amounts in minor units. */
interface Imbalance extends Violation {
  check: InvariantName;
}

export interface LedgerReport {
  ok: boolean;
  /** The number of entries in the ledger. */
  entries: number;
  /** At most {@link MAX_FINDINGS} per check. */
  imbalances: Imbalance[];
}

const MAX_FINDINGS = 100;

/**
 * Checks the whole ledger against the orders and statements, in one snapshot: all entries, together and each on its
 * own, sum to zero; every order has its sale and, if it was taken back, its reversal; every statement matches its lines
 * and its entries; every payout matches what it pays; and no partner owes or is owed a cent that its orders do not
 * explain. Changes nothing in the ledger, and stores the result.
 */
export async function checkLedger({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<LedgerReport> {
  const at = clock.now();
  const report = await db.transact(async (uow) => {
    await useSnapshotIsolation(uow);
    return inspectLedger(uow);
  });
  await insertCheck.run(db.knex, { ...report, at, since: null });
  return report;
}

/** A stored ledger check. */
export interface StoredLedgerCheck extends LedgerReport {
  at: Date;
  /** From when on it went; null for the whole ledger. */
  since: Date | null;
}

/** Returns the latest checks, newest first. */
export function listLedgerChecks(
  { db }: { db: Database },
  limit: number,
): Promise<StoredLedgerCheck[]> {
  return selectChecks.all(db.knex, { limit });
}

/** Gives the transaction one snapshot of the database, and its statements time for all of it. */
async function useSnapshotIsolation({ sql }: UnitOfWork): Promise<void> {
  await setSnapshotIsolation.run(sql);
  await setLongTimeout.run(sql);
}

/** Like {@link checkLedger}, as the given transaction sees the ledger; does not store the result. */
export async function inspectLedger(uow: UnitOfWork): Promise<LedgerReport> {
  const imbalances: Imbalance[] = [];
  for (const check of INVARIANT_NAMES) {
    const findings = await selectViolations[check].all(uow.sql, { limit: MAX_FINDINGS });
    imbalances.push(...findings.map((finding) => ({ check, ...finding })));
  }
  const { entries } = await countEntries.one(uow.sql);
  return { ok: imbalances.length === 0, entries, imbalances };
}

/** A ledger of up to this many entries is always checked in full, which takes a few seconds. */
const FULL_CHECK_MAX_ENTRIES = 100_000;
/** Longer than any transaction and any clock difference between our machines, so that no change is missed. */
const OVERLAP_MS = HOUR;

/** A check; `since` is the start of its period, null for the whole ledger. */
export interface RecentReport extends LedgerReport {
  since: Date | null;
}

/**
 * Checks everything recorded since the last check without violations, with all related rows. It cannot detect changes
 * to older rows, which the service itself never makes: {@link checkLedger} does. Checks a ledger in full if it has few
 * entries or never passed a check. Stores the result.
 */
export async function checkRecentLedger(
  runtime: { db: Database; clock: Clock },
  fewEntries = FULL_CHECK_MAX_ENTRIES,
): Promise<RecentReport> {
  const { db, clock } = runtime;
  const base = await selectLastCleanCheck.first(db.knex);
  if (!base || !(await selectEntryBeyond.first(db.knex, { count: fewEntries }))) {
    return { ...(await checkLedger(runtime)), since: null };
  }
  const at = clock.now();
  const since = addMs(base.at, -OVERLAP_MS);
  const report = await db.transact(async (uow) => {
    await useSnapshotIsolation(uow);
    return inspectRecent(uow, since);
  });
  await insertCheck.run(db.knex, { ...report, at, since });
  return { ...report, since };
}

/** Like {@link checkRecentLedger}, as the given transaction sees the ledger; does not store the result. */
export async function inspectRecent(uow: UnitOfWork, since: Date): Promise<LedgerReport> {
  const entries = await collectRecentChanges(uow.sql, since);
  const imbalances: Imbalance[] = [];
  for (const check of RECENT_INVARIANTS) {
    const findings = await selectRecentViolations[check].all(uow.sql, { limit: MAX_FINDINGS });
    imbalances.push(...findings.map((finding) => ({ check, ...finding })));
  }
  return { ok: imbalances.length === 0, entries, imbalances };
}
