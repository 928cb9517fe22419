import { addMs, DAY, HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneDeliveries } from '../../shared/webhooks/prune-deliveries.ts';
import type { ScheduledTask, WorkContext } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes finished webhook deliveries and their attempts after their keep. */
export const pruneDeliveriesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-deliveries',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  tick: pruneFinished,
};

async function pruneFinished({ runtime, signal }: WorkContext): Promise<number> {
  const { db, clock, config } = runtime;
  const before = addMs(clock.now(), -config.deliveryKeepDays * DAY);
  return runInBatches(signal, (limit) => pruneDeliveries({ db }, before, limit));
}
