import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneClickBatches } from '../../shared/referral/roll-up-clicks.ts';
import type { ScheduledTask } from '../runtime/row.ts';

/** Deletes the ids of batches of clicks that were rolled up long ago. */
export const pruneBatchesTask: ScheduledTask = {
  queue: 'referrals',
  name: 'prune-click-batches',
  everyMs: 6 * HOUR,
  deadlineMs: MINUTE,
  tick: ({ runtime }) => pruneClickBatches(runtime),
};
