import { eraseCaseBuyers } from '../../shared/brokerage/erase-buyers.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Erases the buyers of brokerage cases that came to nothing. */
export const eraseCaseBuyersTick: TickRow = {
  queue: 'maintenance',
  name: 'erase-case-buyers',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: ({ runtime, signal }) => inBatches(signal, (limit) => eraseCaseBuyers(runtime, limit)),
};
