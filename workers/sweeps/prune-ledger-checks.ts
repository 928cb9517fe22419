import { pruneLedgerChecks } from '../../shared/ledger/prune-checks.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes old recounts of the ledger. */
export const pruneLedgerChecksTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-ledger-checks',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => runInBatches(signal, (limit) => pruneLedgerChecks(runtime, limit)),
};
