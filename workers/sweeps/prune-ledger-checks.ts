import { pruneChecks } from '../../shared/ledger/prune-checks.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes old recounts of the ledger. */
export const pruneLedgerChecksTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-ledger-checks',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => pruneChecks(runtime, limit)),
};
