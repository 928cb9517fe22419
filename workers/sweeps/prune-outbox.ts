import { createJobLifecycle } from '../../shared/outbox/job-lifecycle.ts';
import { DAY, later, MINUTE } from '../../shared/platform/clock.ts';
import type { TickRow, WorkContext } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes jobs that were done long enough ago; dead ones stay until somebody looks at them. */
export const pruneOutboxTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-outbox',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  tick: pruneOutbox,
};

async function pruneOutbox({ runtime, signal }: WorkContext): Promise<number> {
  const { db, clock, config } = runtime;
  const lifecycle = createJobLifecycle(db, clock, config.outboxLeaseMs);
  const before = later(clock.now(), -config.outboxKeepDays * DAY);
  return inBatches(signal, (limit) => lifecycle.prune(before, limit));
}
