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

/** One thing that is wrong; amounts in minor units. */
interface Imbalance extends Violation {
  check: InvariantName;
}

export interface LedgerReport {
  ok: boolean;
  /** How many entries the ledger has. */
  entries: number;
  /** At most {@link MAX_FINDINGS} of each check. */
  imbalances: Imbalance[];
}

const MAX_FINDINGS = 100;

/**
 * Recounts the whole ledger from the orders and the statements, at one instant: all entries and each of
 * them sum to zero, every order has its sale and, if it was taken back, its reversal, every statement is
 * its lines and its entries, every payout is what it pays, and no partner owes or is owed a cent that its
 * orders do not explain. Changes nothing of it, and keeps what it found.
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

/** A recount of the past. */
export interface StoredLedgerCheck extends LedgerReport {
  at: Date;
  /** From when on it went; null for the whole ledger. */
  since: Date | null;
}

/** The newest recounts, the last one first. */
export function listLedgerChecks(
  { db }: { db: Database },
  limit: number,
): Promise<StoredLedgerCheck[]> {
  return selectChecks.all(db.knex, { limit });
}

/** Makes the transaction see one instant of the database, and gives its statements time for all of it. */
async function useSnapshotIsolation({ sql }: UnitOfWork): Promise<void> {
  await setSnapshotIsolation.run(sql);
  await setLongTimeout.run(sql);
}

/** The same as the given transaction sees it. */
export async function inspectLedger(uow: UnitOfWork): Promise<LedgerReport> {
  const imbalances: Imbalance[] = [];
  for (const check of INVARIANT_NAMES) {
    const findings = await selectViolations[check].all(uow.sql, { limit: MAX_FINDINGS });
    imbalances.push(...findings.map((finding) => ({ check, ...finding })));
  }
  const { entries } = await countEntries.one(uow.sql);
  return { ok: imbalances.length === 0, entries, imbalances };
}

/** So many entries are recounted as a whole in a few seconds. */
const FULL_CHECK_MAX_ENTRIES = 100_000;
/** Longer than any transaction takes, and than the clocks of our machines differ: nothing falls in between. */
const OVERLAP_MS = HOUR;

/** A recount; `since` says from when on, null for the whole ledger. */
export interface RecentReport extends LedgerReport {
  since: Date | null;
}

/**
 * Recounts what was recorded since the last recount that found nothing, with all that it is about. It can't
 * see what somebody changed in rows of before, which the service itself never changes: {@link checkLedger} does.
 * A ledger of few entries, or one that was never found in order, is recounted as a whole. Keeps what it found.
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

/** The same as the given transaction sees it. */
export async function inspectRecent(uow: UnitOfWork, since: Date): Promise<LedgerReport> {
  const entries = await collectRecentChanges(uow.sql, since);
  const imbalances: Imbalance[] = [];
  for (const check of RECENT_INVARIANTS) {
    const findings = await selectRecentViolations[check].all(uow.sql, { limit: MAX_FINDINGS });
    imbalances.push(...findings.map((finding) => ({ check, ...finding })));
  }
  return { ok: imbalances.length === 0, entries, imbalances };
}
