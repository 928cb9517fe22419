import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { QueueName, Queues } from './job-queues.ts';
import { selectBacklog } from './outbox.store.ts';

export interface QueueStatus {
  queue: string;
  /** Jobs in Redis by state: waiting, active, delayed, failed, ...; a batch counts as one. */
  counts: Readonly<Record<string, number>>;
  /** How long ago the next waiting job became due; null if none is waiting. */
  oldestWaitingMs: number | null;
}

export interface BacklogStatus {
  queue: QueueName;
  state: string;
  /** Up to 10,000. */
  count: number;
  /** How long the oldest job has been due, in milliseconds. */
  oldestMs: number;
}

/** Returns the jobs in Redis by queue. @throws any Redis error */
export async function queueDepths(deps: { clock: Clock; queues: Queues }): Promise<QueueStatus[]> {
  const now = deps.clock.now().getTime();
  return Promise.all(
    deps.queues.all().map(async (queue) => {
      const [counts, [next]] = await Promise.all([
        queue.getJobCounts(),
        queue.getJobs(['waiting'], 0, 0, true),
      ]);
      const dueAt = next && next.timestamp + (next.opts.delay ?? 0);
      const oldestWaitingMs = dueAt === undefined ? null : Math.max(0, now - dueAt);
      return { queue: queue.name, counts, oldestWaitingMs };
    }),
  );
}

/** Returns unfinished and dead jobs in Postgres; see {@link selectBacklog}. */
export async function outboxBacklog({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): Promise<BacklogStatus[]> {
  const now = clock.now();
  const backlog = await db.readForMonitoring((sql) => selectBacklog.all(sql, { now }));
  return backlog.map(({ queue, state, count, oldest }) => ({
    queue,
    state,
    count,
    oldestMs: Math.max(0, now.getTime() - oldest.getTime()),
  }));
}
