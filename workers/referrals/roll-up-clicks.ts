import { MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { createClickBuffer } from '../../shared/referral/click-buffer.ts';
import { fillTargets } from '../../shared/referral/fill-targets.ts';
import { rollUpClicks } from '../../shared/referral/roll-up-clicks.ts';
import type { TickRow, WorkContext } from '../runtime/row.ts';

/** Rolls buffered clicks up, and fills a Redis that was wiped with the targets of all links. */
export const rollUpClicksTick: TickRow = {
  queue: 'referrals',
  name: 'roll-up-clicks',
  everyMs: 3 * SECOND,
  deadlineMs: MINUTE,
  tick: rollUp,
};

async function rollUp({ runtime, signal }: WorkContext): Promise<object> {
  const buffer = createClickBuffer(runtime.redis, runtime.config);
  const filled = await fillTargets(runtime, buffer, signal);
  const rolledUp = await rollUpClicks(runtime, buffer);
  return { filled, rolled_up: rolledUp };
}
