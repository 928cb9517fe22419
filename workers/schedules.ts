import type { Queues } from '../shared/platform/queues.ts';
import type { ScheduledTask } from './runtime/row.ts';

/**
 * Makes sure that every tick has its BullMQ job scheduler, and that the scheduler has its next job. Any
 * number of processes may do so: a scheduler has one next job. What is in order is left alone, because
 * setting a scheduler anew sends its waiting job to the end of the queue.
 */
export async function ensureSchedulers(
  queues: Queues,
  ticks: readonly ScheduledTask[],
): Promise<void> {
  for (const tick of ticks) {
    if (await isScheduled(queues, tick)) continue;
    await queues
      .get(tick.queue)
      .upsertJobScheduler(tick.name, { every: tick.everyMs }, { name: tick.name });
  }
}

async function isScheduled(queues: Queues, tick: ScheduledTask): Promise<boolean> {
  const queue = queues.get(tick.queue);
  const scheduler = await queue.getJobScheduler(tick.name);
  if (!scheduler || scheduler.every !== tick.everyMs || !scheduler.next) return false;
  const next = await queue.getJob(`repeat:${tick.name}:${scheduler.next}`);
  return next !== undefined && next.finishedOn === undefined;
}
