import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { QueueName, Queues } from '../platform/queues.ts';
import { createJobLifecycle } from './job-lifecycle.ts';

export interface QueueStatus {
  queue: string;
  /** Jobs in Redis by state: waiting, active, delayed, failed, ... */
  counts: Readonly<Record<string, number>>;
  /** How long the job that is next in line has waited; null when none waits. */
  oldestWaitingMs: number | null;
}

export interface BacklogStatus {
  queue: QueueName;
  state: string;
  count: number;
  /** How long the longest due row has been due. */
  oldestMs: number;
}

/** What waits in Redis. @throws whatever Redis threw */
export async function queueDepths(deps: { clock: Clock; queues: Queues }): Promise<QueueStatus[]> {
  const now = deps.clock.now().getTime();
  return Promise.all(
    deps.queues.all().map(async (queue) => {
      const [counts, [next]] = await Promise.all([
        queue.getJobCounts(),
        queue.getJobs(['waiting'], 0, 0, true),
      ]);
      const oldestWaitingMs = next ? Math.max(0, now - next.timestamp) : null;
      return { queue: queue.name, counts, oldestWaitingMs };
    }),
  );
}

/** What waits in Postgres for its way to Redis or for its end, and what is dead. */
export async function outboxBacklog(deps: {
  db: Database;
  clock: Clock;
  config: Config;
}): Promise<BacklogStatus[]> {
  const now = deps.clock.now().getTime();
  const { db, clock, config } = deps;
  const backlog = await createJobLifecycle(db, clock, config.outboxLeaseMs).backlog();
  return backlog.map(({ queue, state, count, oldest }) => ({
    queue,
    state,
    count,
    oldestMs: Math.max(0, now - oldest.getTime()),
  }));
}

/** Both. @throws whatever Redis threw */
export async function queueStatus(deps: {
  db: Database;
  clock: Clock;
  config: Config;
  queues: Queues;
}): Promise<{ queues: QueueStatus[]; backlog: BacklogStatus[] }> {
  return { queues: await queueDepths(deps), backlog: await outboxBacklog(deps) };
}
