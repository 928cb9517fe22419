import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneBatches } from '../../shared/referral/roll-up-clicks.ts';
import type { TickRow } from '../runtime/row.ts';

/** Deletes the ids of batches of clicks that were rolled up long ago. */
export const pruneBatchesTick: TickRow = {
  queue: 'referrals',
  name: 'prune-click-batches',
  everyMs: 6 * HOUR,
  deadlineMs: MINUTE,
  tick: ({ runtime }) => pruneBatches(runtime),
};
