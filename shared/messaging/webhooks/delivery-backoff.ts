import { HOUR } from '../../platform/clock.ts';
import { retryAfterMs } from '../../platform/outbound/retry-after.ts';

/** Each delay is drawn from its schedule entry plus or minus this share. */
const JITTER = 0.2;

/** The longest wait that a receiver can request with Retry-After. */
const MAX_RETRY_AFTER_MS = HOUR;

export interface FailedAttempt {
  /** How many attempts have been made, including this one: 1 after the first. */
  attempt: number;
  /** The HTTP status of the response, if there was one. */
  status?: number;
  /** The response's Retry-After header; honored for 429 and 503 only. */
  retryAfter?: string | undefined;
  now: Date;
  /** In [0, 1). */
  random: number;
  /** Milliseconds before the 2nd, 3rd, ... attempt: WEBHOOK_SCHEDULE_MS, in platform/config/worker-variables.ts. */
  schedule: readonly number[];
}

/**
 * Returns the milliseconds until the next attempt, or null if the schedule is exhausted. Retry-After can only lengthen
 * a delay.
 */
export function nextAttemptDelayMs(failed: FailedAttempt): number | null {
  const base = failed.schedule[failed.attempt - 1];
  if (base === undefined) return null;
  const jittered = Math.round(base * (1 - JITTER + 2 * JITTER * failed.random));
  if (failed.status !== 429 && failed.status !== 503) return jittered;
  const asked = retryAfterMs(failed.retryAfter, failed.now) ?? 0;
  return Math.max(jittered, Math.min(asked, MAX_RETRY_AFTER_MS));
}
