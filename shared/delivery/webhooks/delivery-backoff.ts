import { HOUR, SECOND } from '../../platform/clock.ts';

/** Each delay is drawn from its schedule entry plus or minus this share. */
const JITTER = 0.2;

/** A receiver can't push its next attempt further away than this by Retry-After. */
const MAX_RETRY_AFTER_MS = HOUR;

export interface FailedAttempt {
  /** How many attempts have been made, this one included: 1 after the first. */
  attempt: number;
  /** The status of the answer, when there was one. */
  status?: number;
  /** The answer's Retry-After header; honoured on 429 and 503 only. */
  retryAfter?: string | undefined;
  now: Date;
  /** In [0, 1). */
  random: number;
  /** Milliseconds before the 2nd, 3rd, ... attempt. */
  schedule: readonly number[];
}

/**
 * Milliseconds until the next attempt, or null when the schedule is exhausted. Retry-After can only
 * lengthen a delay.
 */
export function nextAttemptDelayMs(failed: FailedAttempt): number | null {
  const base = failed.schedule[failed.attempt - 1];
  if (base === undefined) return null;
  const jittered = Math.round(base * (1 - JITTER + 2 * JITTER * failed.random));
  if (failed.status !== 429 && failed.status !== 503) return jittered;
  const asked = retryAfterMs(failed.retryAfter, failed.now) ?? 0;
  return Math.max(jittered, Math.min(asked, MAX_RETRY_AFTER_MS));
}

/** Milliseconds a Retry-After header asks for (RFC 9110 section 10.2.3), or null when absent or malformed. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * SECOND;
  const at = httpDate(value, now);
  return at === null ? null : Math.max(0, at - now.getTime());
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const TIME = '(?<h>\\d{2}):(?<m>\\d{2}):(?<s>\\d{2})';

// The three forms that a recipient must accept (RFC 9110 section 5.6.7). Date.parse takes far more.
const HTTP_DATES = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-(?<month>[A-Z][a-z]{2})-(?<yy>\\d{2}) ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
];

function httpDate(value: string, now: Date): number | null {
  for (const form of HTTP_DATES) {
    const parts = form.exec(value)?.groups;
    if (!parts) continue;
    const month = MONTHS.indexOf(parts.month ?? '');
    if (month === -1) return null;
    const year = parts.year === undefined ? fullYear(Number(parts.yy), now) : Number(parts.year);
    return Date.UTC(
      year,
      month,
      Number(parts.day),
      Number(parts.h),
      Number(parts.m),
      Number(parts.s),
    );
  }
  return null;
}

/** A two-digit year is the one that is not more than 50 years ahead (RFC 9110 section 5.6.7). */
function fullYear(twoDigits: number, now: Date): number {
  const thisYear = now.getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
