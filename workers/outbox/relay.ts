import type { WorkerServices } from '../compose-workers.ts';
import { startLoop } from '../runtime/poll-loop.ts';
import type { Dispatcher } from './dispatcher.ts';

/** The maximum number of rows in one claim. */
const CLAIM_SIZE = 1_000;

export interface Relay {
  /** Checks for due work now. */
  wake(): void;
  stop(): Promise<void>;
}

/** Sends due rows to BullMQ until stopped. Any number may run: claims skip each other. */
export function startRelay(runtime: WorkerServices, dispatcher: Dispatcher): Relay {
  const { config, log } = runtime;
  const loop = startLoop({
    name: 'relay',
    everyMs: config.outboxPollMs,
    log,
    async pass() {
      // Claiming rows that can't be sent would only churn them.
      if (runtime.redis.status !== 'ready') throw new Error('Redis is away');
      return (await dispatcher.dispatch(CLAIM_SIZE)) >= CLAIM_SIZE;
    },
  });
  return loop;
}
