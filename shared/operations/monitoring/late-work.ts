import { type Clock, MINUTE } from '../../platform/clock.ts';
import type { SharedRead } from '../../platform/concurrency/shared-read.ts';
import type { FleetStats } from './fleet-stats.ts';

/** Which sources of the backlog could be read, and the queues with work that has waited too long. */
export interface LateWork {
  redis: boolean;
  postgres: boolean;
  queues: ReadonlySet<string>;
}

/** Work that waits longer than this shows that workers are missing or too slow. */
const MAX_LAG_MS = 5 * MINUTE;

/** Checks the backlog, with figures at most `maxAgeMs` old. Never throws. */
export async function readLateWork(
  { figures, clock }: { figures: FleetStats; clock: Clock },
  maxAgeMs: number,
): Promise<LateWork> {
  const [redis, backlog, deliveries] = await Promise.all([
    readOrUndefined(figures.queues, maxAgeMs),
    readOrUndefined(figures.backlog, maxAgeMs),
    readOrUndefined(figures.deliveries, maxAgeMs),
  ]);
  const queues = new Set<string>();
  for (const { queue, oldestWaitingMs } of redis ?? []) {
    if ((oldestWaitingMs ?? 0) > MAX_LAG_MS) queues.add(queue);
  }
  for (const { queue, state, oldestMs } of backlog ?? []) {
    // Running jobs may take long, so only pending ones count.
    if (state === 'pending' && oldestMs > MAX_LAG_MS) queues.add(queue);
  }
  // The backlog of failing endpoints does not count: the receivers cause it.
  const healthy = deliveries?.find((row) => row.class === 'healthy');
  if (healthy?.oldestDue && clock.now().getTime() - healthy.oldestDue.getTime() > MAX_LAG_MS) {
    queues.add('webhooks');
  }
  // Postgres counts as down only if no figure can be read.
  return {
    redis: redis !== undefined,
    postgres: (backlog ?? deliveries) !== undefined,
    queues,
  };
}

/** Returns undefined if the read failed or took too long. */
function readOrUndefined<T>(read: SharedRead<T>, maxAgeMs: number): Promise<T | undefined> {
  return read(maxAgeMs).catch(() => undefined);
}
