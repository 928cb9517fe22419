import type { Clock } from '../clock.ts';

/** Stops calls to a server that keeps failing. */
export interface CircuitBreaker {
  /** Returns whether a call may be made now. After the open time, one probe at a time is allowed. */
  allows(): boolean;
  /** Returns the milliseconds until a call may be made; 0 if it may be made now. */
  openForMs(): number;
  succeeded(): void;
  failed(): void;
  /** Returns whether any call failed since the last success. */
  hasFailed(): boolean;
}

export interface BreakerOptions {
  /** The number of consecutive failures that open the breaker. */
  failures: number;
  openMs: number;
  /** Called once each time the breaker opens. */
  onOpen?(): void;
}

/** Creates a breaker that starts closed. */
export function createCircuitBreaker(clock: Clock, options: BreakerOptions): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  const now = () => clock.now().getTime();
  return {
    allows() {
      if (failures < options.failures) return true;
      if (now() < openUntil) return false;
      // If this probe never reports a result, allow the next one after the same time.
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
