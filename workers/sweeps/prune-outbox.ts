import { createJobLifecycle } from '../../shared/outbox/job-lifecycle.ts';
import { addMs, DAY, MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask, WorkContext } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes jobs that were done long enough ago; dead ones stay until somebody looks at them. */
export const pruneOutboxTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-outbox',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  tick: pruneOutbox,
};

async function pruneOutbox({ runtime, signal }: WorkContext): Promise<number> {
  const { db, clock, config } = runtime;
  const lifecycle = createJobLifecycle(db, clock, config.outboxLeaseMs);
  const before = addMs(clock.now(), -config.outboxKeepDays * DAY);
  return runInBatches(signal, (limit) => lifecycle.prune(before, limit));
}
