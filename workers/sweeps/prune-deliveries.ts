import { DAY, HOUR, later, MINUTE } from '../../shared/platform/clock.ts';
import { pruneDeliveries } from '../../shared/webhooks/prune-deliveries.ts';
import type { TickRow, WorkContext } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes finished webhook deliveries and their attempts after their keep. */
export const pruneDeliveriesTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-deliveries',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: pruneFinished,
};

async function pruneFinished({ runtime, signal }: WorkContext): Promise<number> {
  const { db, clock, config } = runtime;
  const before = later(clock.now(), -config.deliveryKeepDays * DAY);
  return inBatches(signal, (limit) => pruneDeliveries({ db }, before, limit));
}
