import { DAY, later, MINUTE, SECOND } from '../platform/clock.ts';
import { isCode } from './referral-link.ts';

/** The cookie that remembers the last click, for attribution. */
export const REFERRAL_COOKIE = 'ref';
/** How long after a click a sale is still attributed to it. */
export const ATTRIBUTION_MS = 30 * DAY;
/** Clocks of two servers may differ by this. */
const MAX_AHEAD_MS = 5 * MINUTE;

/** A click as a browser remembers it. */
export interface RememberedClick {
  code: string;
  /** Null when only a code is known. */
  clickedAt: Date | null;
}

/**
 * The value of the cookie: `<code>.<Unix seconds in base 36>`. It is not signed: whoever forges one could
 * as well follow the link.
 */
export function writeClick(code: string, at: Date): string {
  return `${code}.${Math.floor(at.getTime() / SECOND).toString(36)}`;
}

/** Reads a cookie's value, or a bare code; null for anything else. */
export function readClick(value: string | null | undefined): RememberedClick | null {
  const [code = '', seconds, ...more] = (value ?? '').split('.');
  if (!isCode(code) || more.length > 0) return null;
  if (seconds === undefined) return { code, clickedAt: null };
  if (!/^[0-9a-z]{1,8}$/.test(seconds)) return null;
  return { code, clickedAt: new Date(Number.parseInt(seconds, 36) * SECOND) };
}

/** Whether a click may still be rewarded at `now`: not over 30 days old, and not in the future. */
export function isInWindow(clickedAt: Date, now: Date): boolean {
  return clickedAt >= later(now, -ATTRIBUTION_MS) && clickedAt <= later(now, MAX_AHEAD_MS);
}

/** The value of the cookie `ref` in a request's `Cookie` header. */
export function clickOfCookies(header: string | undefined): string | null {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === REFERRAL_COOKIE) return pair.slice(at + 1).trim();
  }
  return null;
}
