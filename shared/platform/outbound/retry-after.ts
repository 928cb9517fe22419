import { SECOND } from '../clock.ts';

/** How all three HTTP date formats start (RFC 9110 section 5.6.7). `Date.parse` alone accepts far more. */
const NAMES_A_DAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Returns the milliseconds a Retry-After header asks for (RFC 9110 section 10.2.3), or null if absent or malformed. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * SECOND;
  if (!NAMES_A_DAY.test(value)) return null;
  // The oldest format has no time zone and would be parsed as local time.
  const at = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
