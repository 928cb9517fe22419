import { listenForWake } from '../../shared/platform/db.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { startLoop } from '../runtime/loop.ts';
import type { DispatchSource } from './dispatch-source.ts';
import { registerRelay } from './wake.ts';

/** Rows that one pass takes of a source at most. */
const BATCH = 500;

/** Carries due rows of every source to BullMQ until stopped. Any number may run: claims skip each other. */
export function startRelay(
  runtime: Runtime,
  sources: readonly DispatchSource[],
): { stop(): Promise<void> } {
  const { config, log } = runtime;
  const loop = startLoop({
    name: 'relay',
    everyMs: config.outboxPollMs,
    log,
    async pass() {
      // Claiming what can't be sent would only turn rows over.
      if (runtime.redis.status !== 'ready') throw new Error('Redis is away');
      const results = await Promise.allSettled(sources.map((source) => source.dispatch(BATCH)));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return results.some((result) => result.status === 'fulfilled' && result.value >= BATCH);
    },
  });
  registerRelay(runtime, () => loop.wake());
  const listener = listenForWake(config.databaseUrl, log, () => loop.wake());
  return {
    async stop() {
      await Promise.all([listener.stop(), loop.stop()]);
    },
  };
}
