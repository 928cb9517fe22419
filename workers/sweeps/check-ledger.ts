import { checkLedger } from '../../shared/ledger/check-ledger.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow, WorkContext } from '../runtime/row.ts';

/** Recounts the ledger. What is wrong is logged and fails the job, so that ops see it; nothing is repaired. */
export const checkLedgerTick: TickRow = {
  queue: 'maintenance',
  name: 'check-ledger',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: check,
};

async function check({ runtime }: WorkContext): Promise<{ entries: number }> {
  const { ok, entries, imbalances } = await checkLedger(runtime);
  if (ok) return { entries };
  runtime.log.error({ imbalances }, 'ledger: the books do not balance');
  throw new Error(`the ledger has ${imbalances.length} imbalances`);
}
