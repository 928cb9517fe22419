import { addMs, DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { isCode } from './referral-link.ts';

/** The cookie that remembers the last click, for attribution; over TLS with `__Host-`. */
export const REFERRAL_COOKIE = 'ref';
/** How long after a click a sale is still attributed to it. */
export const ATTRIBUTION_MS = 30 * DAY;
/** Clocks of two servers may differ by this. */
const MAX_AHEAD_MS = 5 * MINUTE;
const PURPOSE = 'referral-click';

/** A click on a link, which happened: we saw it. */
export interface RememberedClick {
  code: string;
  clickedAt: Date;
}

/** The value of the cookie: a signed token, so that nobody dates a click anew or makes one up. */
export function signClick(tokens: SignedTokens, { code, clickedAt }: RememberedClick) {
  const claims = { code, iat: Math.floor(clickedAt.getTime() / SECOND) };
  return tokens.sign(PURPOSE, claims, addMs(clickedAt, ATTRIBUTION_MS));
}

/** The click that a cookie remembers; null for one that we did not sign, and for one of over 30 days ago. */
export async function verifyClick(
  tokens: SignedTokens,
  cookie: string | undefined,
): Promise<RememberedClick | null> {
  const claims = cookie === undefined ? 'invalid' : await tokens.verify(PURPOSE, cookie);
  if (typeof claims === 'string') return null;
  return { code: String(claims.code), clickedAt: new Date(Number(claims.iat) * SECOND) };
}

/** A click as a checkout session keeps it: `<code>.<Unix seconds in base 36>`. */
export function encodeClick({ code, clickedAt }: RememberedClick): string {
  return `${code}.${Math.floor(clickedAt.getTime() / SECOND).toString(36)}`;
}

/** Reads what {@link encodeClick} wrote; null for anything else, a code without its time included. */
export function decodeClick(value: string | null | undefined): RememberedClick | null {
  const [code = '', seconds = '', ...more] = (value ?? '').split('.');
  if (!isCode(code) || more.length > 0 || !/^[0-9a-z]{1,8}$/.test(seconds)) return null;
  return { code, clickedAt: new Date(Number.parseInt(seconds, 36) * SECOND) };
}

/** Whether a click may still be rewarded at `now`: not over 30 days old, and not in the future. */
export function isInAttributionWindow(clickedAt: Date, now: Date): boolean {
  return clickedAt >= addMs(now, -ATTRIBUTION_MS) && clickedAt <= addMs(now, MAX_AHEAD_MS);
}
