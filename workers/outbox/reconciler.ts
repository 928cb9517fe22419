import { QUEUE_NAMES } from '../../shared/platform/queues.ts';
import { onReconnect } from '../../shared/platform/redis.ts';
import { bootMarkers } from '../../shared/platform/redis-keys.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { startLoop } from '../runtime/loop.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { ensureSchedulers } from '../schedules.ts';
import type { DispatchSource } from './dispatch-source.ts';

/**
 * Rebuilds in Redis what it lost, from Postgres: single jobs past their lease, and everything when a
 * marker key is gone (a wiped Redis, or a wiped shard of its cluster) or the connection was (a restart may have lost the last second).
 */
export function startReconciler(
  runtime: Runtime,
  sources: readonly DispatchSource[],
  ticks: readonly ScheduledTask[],
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
        const wiped = checkAll || found.includes(0);
        await ensureSchedulers(runtime.queues, ticks);
        let lost = 0;
        for (const source of sources) lost += await source.reconcile({ wiped });
        if (lost > 0) log.warn({ lost, wiped }, 'reconciler: lost jobs are due again');
        // Set last: a process that dies on the way leaves the work to the next one.
        const now = clock.now().toISOString();
        if (wiped) await Promise.all(markers.map((marker) => redis.set(marker, now, 'NX')));
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
