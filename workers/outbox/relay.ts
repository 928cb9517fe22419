import type { WorkerServices } from '../compose-workers.ts';
import { startLoop } from '../runtime/poll-loop.ts';
import type { Dispatcher } from './dispatcher.ts';

/** Rows that one claim takes at most. */
const CLAIM_SIZE = 1_000;

export interface Relay {
  /** Looks for due work now. */
  wake(): void;
  stop(): Promise<void>;
}

/** Carries due rows to BullMQ until stopped. Any number may run: claims skip each other. */
export function startRelay(runtime: WorkerServices, dispatcher: Dispatcher): Relay {
  const { config, log } = runtime;
  const loop = startLoop({
    name: 'relay',
    everyMs: config.outboxPollMs,
    log,
    async pass() {
      // Claiming what can't be sent would only turn rows over.
      if (runtime.redis.status !== 'ready') throw new Error('Redis is away');
      return (await dispatcher.dispatch(CLAIM_SIZE)) >= CLAIM_SIZE;
    },
  });
  return loop;
}
