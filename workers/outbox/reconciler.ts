import type { Runtime } from '../../shared/runtime.ts';
import { startLoop } from '../runtime/loop.ts';
import type { TickRow } from '../runtime/row.ts';
import { ensureSchedules } from '../schedules.ts';
import type { DispatchSource } from './dispatch-source.ts';

/**
 * Rebuilds in Redis what it lost, from Postgres: single jobs past their lease, and everything when the
 * marker key is gone (a wiped Redis) or the connection was (a restart may have lost the last second).
 */
export function startReconciler(
  runtime: Runtime,
  sources: readonly DispatchSource[],
  ticks: readonly TickRow[],
): { stop(): Promise<void> } {
  const { config, log, redis, clock } = runtime;
  const marker = `${config.redisPrefix}:boot`;
  let reconnected = false;

  const loop = startLoop({
    name: 'reconciler',
    everyMs: config.reconcileMs,
    log,
    async pass() {
      const checkAll = reconnected;
      reconnected = false;
      try {
        const wiped = checkAll || (await redis.exists(marker)) === 0;
        await ensureSchedules(runtime.queues, ticks);
        let lost = 0;
        for (const source of sources) lost += await source.reconcile({ wiped });
        if (lost > 0) log.warn({ lost, wiped }, 'reconciler: lost jobs are due again');
        // Set last: a process that dies on the way leaves the work to the next one.
        if (wiped) await redis.set(marker, clock.now().toISOString(), 'NX');
      } catch (error) {
        reconnected ||= checkAll;
        throw error;
      }
      return false;
    },
  });
  const onReady = () => {
    reconnected = true;
    loop.wake();
  };
  redis.on('ready', onReady);
  return {
    async stop() {
      redis.off('ready', onReady);
      await loop.stop();
    },
  };
}
