import { type Clock, MINUTE } from '../../platform/clock.ts';
import type { SharedRead } from '../../platform/concurrency/shared-read.ts';
import type { FleetStats } from './fleet-stats.ts';

/** What can be read of the work that waits, and the queues of which some has waited for too long. */
export interface LateWork {
  redis: boolean;
  postgres: boolean;
  queues: ReadonlySet<string>;
}

/** Work that waits longer shows that nobody does it, or not enough. */
const MAX_LAG_MS = 5 * MINUTE;

/** Looks at the work that waits, by figures at most `maxAgeMs` old. Never throws. */
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
    // Work that is under way may take long.
    if (state === 'pending' && oldestMs > MAX_LAG_MS) queues.add(queue);
  }
  // What endpoints that fail have coming is their own affair.
  const healthy = deliveries?.find((row) => row.class === 'healthy');
  if (healthy?.oldestDue && clock.now().getTime() - healthy.oldestDue.getTime() > MAX_LAG_MS) {
    queues.add('webhooks');
  }
  // One figure that cannot be read says nothing about the others. When none can be, Postgres is
  // down.
  return {
    redis: redis !== undefined,
    postgres: (backlog ?? deliveries) !== undefined,
    queues,
  };
}

/** Undefined when it failed or took too long. */
function readOrUndefined<T>(read: SharedRead<T>, maxAgeMs: number): Promise<T | undefined> {
  return read(maxAgeMs).catch(() => undefined);
}
