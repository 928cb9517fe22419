import { MINUTE } from '../../shared/platform/clock.ts';
import { closeDuePeriods } from '../../shared/settlements/close-due-periods.ts';
import type { ScheduledTask } from '../runtime/row.ts';

/** Starts the settlement of every period that has ended. */
export const closeDuePeriodsTask: ScheduledTask = {
  queue: 'settlements',
  name: 'close-due-periods',
  everyMs: 5 * MINUTE,
  deadlineMs: MINUTE,
  tick: ({ runtime }) => closeDuePeriods(runtime),
};
