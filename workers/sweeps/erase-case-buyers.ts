import { eraseCaseBuyers } from '../../shared/brokerage/erase-buyers.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Erases the buyers of brokerage cases that came to nothing. */
export const eraseCaseBuyersTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'erase-case-buyers',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => runInBatches(signal, (limit) => eraseCaseBuyers(runtime, limit)),
};
