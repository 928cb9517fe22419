import { backoffMs } from '../../shared/platform/concurrency/backoff.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';

export interface Loop {
  /** Requests a pass now; several calls during a pass lead to one more pass. */
  wake(): void;
  /** Stops after the current pass. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  name: string;
  everyMs: number;
  log: Logger;
  /** Runs one pass; returns true to request the next one at once. */
  pass(): Promise<boolean>;
}

const BACKOFF = { firstMs: 100, maxMs: 1_000 };

/**
 * Runs passes one after another: when woken, and at least every `everyMs`. A failing pass is retried with a back-off
 * that doubles up to a second, and is logged once per outage.
 */
export function startLoop({ name, everyMs, log, pass }: LoopOptions): Loop {
  let stopped = false;
  let woken = false;
  let resume: (() => void) | undefined;
  let failures = 0;

  const pause = (ms: number, wakeable: boolean) =>
    new Promise<void>((resolve) => {
      if (stopped || (wakeable && woken)) return resolve();
      const end = () => {
        clearTimeout(timer);
        resume = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      resume = () => {
        if (stopped || wakeable) end();
      };
    });

  const run = async () => {
    while (!stopped) {
      woken = false;
      try {
        const again = await pass();
        if (failures > 0) log.info({ failures }, `${name}: works again`);
        failures = 0;
        if (!again) await pause(everyMs, true);
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, `${name}: failed, trying again`);
        failures += 1;
        await pause(backoffMs(failures, BACKOFF), false);
      }
    }
  };
  const running = run();

  return {
    wake() {
      woken = true;
      resume?.();
    },
    async stop() {
      stopped = true;
      resume?.();
      await running;
    },
  };
}
