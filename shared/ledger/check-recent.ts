import { addMs, HOUR } from '../platform/clock.ts';
import type { Tx } from '../platform/db.ts';
import type { Runtime } from '../runtime.ts';
import {
  findViolations,
  hasMoreEntriesThan,
  INVARIANT_NAMES,
  insertCheck,
  lastCleanCheckAt,
  useSnapshotIsolation,
} from './check-ledger.store.ts';
import { checkLedger, type Imbalance, type LedgerReport, MAX_FINDINGS } from './check-ledger.ts';
import { collectRecentChanges, RECENT_SUBSETS } from './recent.store.ts';

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
  runtime: Pick<Runtime, 'db' | 'clock'>,
  fewEntries = FULL_CHECK_MAX_ENTRIES,
): Promise<RecentReport> {
  const { db, clock } = runtime;
  const base = await lastCleanCheckAt(db.knex);
  if (base === null || !(await hasMoreEntriesThan(db.knex, fewEntries))) {
    return { ...(await checkLedger(runtime)), since: null };
  }
  const at = clock.now();
  const since = addMs(base, -OVERLAP_MS);
  const report = await db.transact(async (tx) => {
    await useSnapshotIsolation(tx);
    return inspectRecent(tx, since);
  });
  await insertCheck(db.knex, { ...report, at, since });
  return { ...report, since };
}

/** The same as the given transaction sees it. */
export async function inspectRecent(tx: Tx, since: Date): Promise<LedgerReport> {
  const entries = await collectRecentChanges(tx, since);
  const imbalances: Imbalance[] = [];
  for (const check of INVARIANT_NAMES) {
    const slice = RECENT_SUBSETS[check];
    if (!slice) continue;
    const findings = await findViolations(tx, check, MAX_FINDINGS, slice);
    imbalances.push(...findings.map((finding) => ({ check, ...finding })));
  }
  return { ok: imbalances.length === 0, entries, imbalances };
}
