import { SECOND } from '../clock.ts';

/** All three forms of an HTTP date begin so (RFC 9110 section 5.6.7). `Date.parse` by itself takes far more. */
const NAMES_A_DAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Milliseconds a Retry-After header asks for (RFC 9110 section 10.2.3), or null when absent or malformed. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * SECOND;
  if (!NAMES_A_DAY.test(value)) return null;
  // The oldest form names no zone, and would be read as local time.
  const at = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
