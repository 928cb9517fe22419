import type { Clock } from '../clock.ts';

/** Keeps callers away from a party that only fails. */
export interface CircuitBreaker {
  /** Whether a call may be made now. When it was open long enough, one caller at a time is let through. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
}

export interface BreakerOptions {
  /** So many failures in a row open it. */
  failures: number;
  openMs: number;
  /** Told once each time that it opens. */
  onOpen(): void;
}

/** A breaker that starts closed. */
export function createCircuitBreaker(clock: Clock, options: BreakerOptions): CircuitBreaker {
  let failures = 0;
  let shutUntil = 0;
  return {
    allows() {
      if (failures < options.failures) return true;
      const now = clock.now().getTime();
      if (now < shutUntil) return false;
      // The next one is let through when this one was not heard of for as long.
      shutUntil = now + options.openMs;
      return true;
    },
    succeeded() {
      failures = 0;
    },
    failed() {
      failures += 1;
      if (failures < options.failures) return;
      shutUntil = clock.now().getTime() + options.openMs;
      if (failures === options.failures) options.onOpen();
    },
  };
}
