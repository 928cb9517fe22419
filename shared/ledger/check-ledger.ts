import type { Tx } from '../platform/db.ts';
import type { Runtime } from '../runtime.ts';
import {
  countEntries,
  findViolations,
  INVARIANT_NAMES,
  type InvariantName,
  insertCheck,
  selectChecks,
  useSnapshotIsolation,
  type Violation,
} from './check-ledger.store.ts';

/** One thing that is wrong; amounts in minor units. */
export interface Imbalance extends Violation {
  check: InvariantName;
}

export interface LedgerReport {
  ok: boolean;
  /** How many entries the ledger has. */
  entries: number;
  /** At most {@link MAX_FINDINGS} of each check. */
  imbalances: Imbalance[];
}

export const MAX_FINDINGS = 100;

/**
 * Recounts the whole ledger from the orders and the statements, at one instant: all entries and each of
 * them sum to zero, every order has its sale and, if it was taken back, its reversal, every statement is
 * its lines and its entries, every payout is what it pays, and no partner owes or is owed a cent that its
 * orders do not explain. Changes nothing of it, and keeps what it found.
 */
export async function checkLedger({
  db,
  clock,
}: Pick<Runtime, 'db' | 'clock'>): Promise<LedgerReport> {
  const at = clock.now();
  const report = await db.transact(async (tx) => {
    await useSnapshotIsolation(tx);
    return inspectLedger(tx);
  });
  await insertCheck(db.knex, { ...report, at, since: null });
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
  { db }: Pick<Runtime, 'db'>,
  limit: number,
): Promise<StoredLedgerCheck[]> {
  return selectChecks(db.knex, limit);
}

/** The same as the given transaction sees it. */
export async function inspectLedger(tx: Tx): Promise<LedgerReport> {
  const imbalances: Imbalance[] = [];
  for (const check of INVARIANT_NAMES) {
    const findings = await findViolations(tx, check, MAX_FINDINGS);
    imbalances.push(...findings.map((finding) => ({ check, ...finding })));
  }
  return { ok: imbalances.length === 0, entries: await countEntries(tx), imbalances };
}
