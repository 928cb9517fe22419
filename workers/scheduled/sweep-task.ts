import type { WorkerServices } from '../compose-workers.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';

/** Changes or deletes up to `limit` rows, and returns how many. */
type Sweep = (services: WorkerServices, limit: number) => Promise<number>;

/** The maximum number of rows per statement of a sweep: long statements hold locks and cause bloat. */
const BATCH = 1_000;

/** Defines a task that repeats a sweep until nothing is left; its result is the number of rows. */
export function sweepTask({
  sweep,
  batch,
  ...task
}: Pick<ScheduledTask, 'name' | 'everyMs' | 'deadlineMs'> & {
  sweep: Sweep;
  /** Rows per statement. */
  batch?: number;
}): ScheduledTask {
  return {
    ...task,
    queue: 'maintenance',
    run: ({ runtime, signal }) => runInBatches(signal, (limit) => sweep(runtime, limit), batch),
  };
}

/** Repeats `sweep` until it finds less than a full batch or must stop; returns the total. */
export async function runInBatches(
  signal: AbortSignal,
  sweep: (limit: number) => Promise<number>,
  batch = BATCH,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await sweep(batch);
    total += count;
    if (count < batch) break;
  }
  return total;
}
