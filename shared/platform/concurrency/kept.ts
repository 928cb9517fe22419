import type { Clock } from '../clock.ts';

/** A cached value that is read again once it is too old. */
export interface Kept<T> {
  read(): Promise<T>;
}

/** Creates a cache that reads at most once per `keepMs`, however many callers ask. Failures are not cached. */
export function createKept<T>(clock: Clock, keepMs: number, read: () => Promise<T>): Kept<T> {
  let kept: { until: number; value: Promise<T> } | undefined;
  return {
    read() {
      const now = clock.now().getTime();
      if (kept && now < kept.until) return kept.value;
      const reading = { until: now + keepMs, value: read() };
      kept = reading;
      reading.value.catch(() => {
        if (kept === reading) kept = undefined;
      });
      return reading.value;
    },
  };
}
