import { listenForWake } from '../../shared/platform/database/postgres.ts';
import type { WorkerServices } from '../compose-workers.ts';
import { startLoop } from '../runtime/poll-loop.ts';

/**
 * A table of durable work that the relay carries to BullMQ. Claims are committed before Redis is touched;
 * whatever goes wrong after that is put right by the lease of the claim.
 */
export interface DispatchSource {
  name: string;
  /** Sends due rows, `limit` at a time; returns how many were claimed. Fewer than that were all that is due. */
  dispatch(limit: number): Promise<number>;
  /**
   * Looks after rows that were sent and are past their lease (after `wiped`, when Redis may have lost
   * jobs, after all that were sent) and makes those due again whose job is gone. Returns how many.
   */
  reconcile(options: { wiped: boolean }): Promise<number>;
}

/** Rows that one claim takes of a source at most. */
const CLAIM_SIZE = 1_000;

export interface Relay {
  /** Looks for due work now. */
  wake(): void;
  stop(): Promise<void>;
}

/** Carries due rows of every source to BullMQ until stopped. Any number may run: claims skip each other. */
export function startRelay(runtime: WorkerServices, sources: readonly DispatchSource[]): Relay {
  const { config, log } = runtime;
  const loop = startLoop({
    name: 'relay',
    everyMs: config.outboxPollMs,
    log,
    async pass() {
      // Claiming what can't be sent would only turn rows over.
      if (runtime.redis.status !== 'ready') throw new Error('Redis is away');
      const results = await Promise.allSettled(
        sources.map((source) => source.dispatch(CLAIM_SIZE)),
      );
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      return results.some((result) => result.status === 'fulfilled' && result.value >= CLAIM_SIZE);
    },
  });
  const listener = listenForWake(config.databaseDirectUrl, log, () => loop.wake());
  return {
    wake: () => loop.wake(),
    async stop() {
      await Promise.all([listener.stop(), loop.stop()]);
    },
  };
}
