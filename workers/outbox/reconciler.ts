import { QUEUE_NAMES, type Queues } from '../../shared/messaging/jobs/job-queues.ts';
import { bootMarkers, onReconnect } from '../../shared/platform/redis/redis.ts';
import type { WorkerServices } from '../compose-workers.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';
import { startLoop } from '../runtime/poll-loop.ts';
import type { Dispatcher } from './dispatcher.ts';

/**
 * Restores in Redis what it lost, from Postgres: single jobs with an expired lease, and everything if a marker key is
 * gone (Redis, or a shard of its cluster, was wiped) or after a reconnect (a restart may have lost the last second).
 */
export function startReconciler(
  runtime: WorkerServices,
  dispatcher: Dispatcher,
  tasks: readonly ScheduledTask[],
): { stop(): Promise<void> } {
  const { config, log, redis, clock } = runtime;
  const markers = bootMarkers(config.redisPrefix, QUEUE_NAMES);
  let reconnected = false;

  const loop = startLoop({
    name: 'reconciler',
    everyMs: config.reconcileMs,
    log,
    async pass() {
      const checkAll = reconnected;
      reconnected = false;
      try {
        const found = await Promise.all(markers.map((marker) => redis.exists(marker)));
        const everything = checkAll || found.includes(0);
        await ensureSchedulers(runtime.queues, tasks);
        const lost = await dispatcher.reconcile({ everything });
        if (lost > 0) log.warn({ lost, everything }, 'reconciler: lost jobs are due again');
        // Set last: if the process dies before this, the next one redoes the work.
        const now = clock.now().toISOString();
        if (everything) await Promise.all(markers.map((marker) => redis.set(marker, now, 'NX')));
      } catch (error) {
        reconnected ||= checkAll;
        throw error;
      }
      return false;
    },
  });
  const forget = onReconnect(redis, () => {
    reconnected = true;
    loop.wake();
  });
  return {
    async stop() {
      forget();
      await loop.stop();
    },
  };
}

/**
 * Ensures that every scheduled task has its BullMQ job scheduler, with its next job. Any number of processes may do so:
 * a scheduler has only one next job. Intact schedulers are left alone, because recreating one moves its waiting job to
 * the end of the queue.
 */
export async function ensureSchedulers(
  queues: Queues,
  tasks: readonly ScheduledTask[],
): Promise<void> {
  for (const task of tasks) {
    if (await isScheduled(queues, task)) continue;
    await queues
      .get(task.queue)
      .upsertJobScheduler(task.name, { every: task.everyMs }, { name: task.name });
  }
}

async function isScheduled(queues: Queues, task: ScheduledTask): Promise<boolean> {
  const queue = queues.get(task.queue);
  const scheduler = await queue.getJobScheduler(task.name);
  if (!scheduler || scheduler.every !== task.everyMs || !scheduler.next) return false;
  const next = await queue.getJob(`repeat:${task.name}:${scheduler.next}`);
  return next !== undefined && next.finishedOn === undefined;
}
