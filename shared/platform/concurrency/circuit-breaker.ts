import type { Clock } from '../clock.ts';

/** Stops calls to a server that keeps failing. */
export interface CircuitBreaker {
  /** Whether a call may be made now. After the open time, one probe at a time is allowed. */
  allows(): boolean;
  /** Milliseconds until a call may be made; 0 while it may. */
  openForMs(): number;
  succeeded(): void;
  failed(): void;
  /** Whether something failed since the last success. */
  hasFailed(): boolean;
}

export interface BreakerOptions {
  /** How many failures in a row open it. */
  failures: number;
  openMs: number;
  /** Called once each time it opens. */
  onOpen?(): void;
}

/** A breaker that starts closed. */
export function createCircuitBreaker(clock: Clock, options: BreakerOptions): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  const now = () => clock.now().getTime();
  return {
    allows() {
      if (failures < options.failures) return true;
      if (now() < openUntil) return false;
      // If this probe does not report back, the next one is allowed after the same time.
      openUntil = now() + options.openMs;
      return true;
    },
    openForMs: () => (failures < options.failures ? 0 : Math.max(0, openUntil - now())),
    succeeded() {
      failures = 0;
    },
    failed() {
      failures += 1;
      if (failures < options.failures) return;
      openUntil = now() + options.openMs;
      if (failures === options.failures) options.onOpen?.();
    },
    hasFailed: () => failures > 0,
  };
}
