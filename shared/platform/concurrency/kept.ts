import type { Clock } from '../clock.ts';

/** Something that is read anew when it is older than a while. */
export interface Kept<T> {
  read(): Promise<T>;
}

/** Reads at most once in `keepMs` however many ask; a failure is not kept. */
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
