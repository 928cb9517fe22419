import { MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { createClickBuffer } from '../../shared/referral/click-buffer.ts';
import { warmLinkTargets } from '../../shared/referral/fill-targets.ts';
import { rollUpClicks } from '../../shared/referral/roll-up-clicks.ts';
import type { ScheduledTask, WorkContext } from '../runtime/row.ts';

/** Rolls buffered clicks up, and fills a Redis that was wiped with the targets of all links. */
export const rollUpClicksTask: ScheduledTask = {
  queue: 'referrals',
  name: 'roll-up-clicks',
  everyMs: 3 * SECOND,
  deadlineMs: MINUTE,
  tick: rollUp,
};

async function rollUp({ runtime, signal }: WorkContext): Promise<object> {
  const buffer = createClickBuffer(runtime.redis, runtime.config);
  const filled = await warmLinkTargets(runtime, buffer, signal);
  const rolledUp = await rollUpClicks(runtime, buffer);
  return { filled, rolled_up: rolledUp };
}
