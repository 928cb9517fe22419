import {
  checkLedger,
  checkRecentLedger,
  type LedgerReport,
} from '../../shared/operations/ledger-check/ledger-check.ts';
import { DAY, HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask, WorkContext } from '../runtime/job-handler.ts';

// A mismatch is logged and fails the job, so that operators see it; nothing is repaired.

/** Checks new ledger entries. */
export const checkRecentLedgerTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'check-ledger',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: ({ runtime }) => failOnImbalance(runtime, checkRecentLedger(runtime)),
};

/** Checks the whole ledger, which takes a minute for a million orders, and detects changes to old rows. */
export const checkWholeLedgerTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'check-whole-ledger',
  everyMs: DAY,
  deadlineMs: 2 * HOUR,
  run: ({ runtime }) => failOnImbalance(runtime, checkLedger(runtime)),
};

async function failOnImbalance(
  runtime: WorkContext['runtime'],
  recount: Promise<LedgerReport>,
): Promise<{ entries: number }> {
  const { ok, entries, imbalances } = await recount;
  if (ok) return { entries };
  runtime.log.error({ imbalances }, 'ledger: the books do not balance');
  throw new Error(`the ledger has ${imbalances.length} imbalances`);
}
