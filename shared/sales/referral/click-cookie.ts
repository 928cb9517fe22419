import { addMs, DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { isCode } from './referral-link.ts';

/** The cookie that stores the last click, for attribution. Over TLS it has the prefix `__Host-`. */
export const REFERRAL_COOKIE = 'ref';
/** How long after a click a sale is still attributed to it. */
export const ATTRIBUTION_MS = 30 * DAY;
/** The maximum clock difference between two servers. */
const MAX_AHEAD_MS = 5 * MINUTE;
const PURPOSE = 'referral-click';

/** A verified click on a link. */
export interface RememberedClick {
  code: string;
  clickedAt: Date;
}

/** Creates the value of the cookie: a signed token, so that nobody can forge a click or change its date. */
export function signClick(tokens: SignedTokens, { code, clickedAt }: RememberedClick) {
  const claims = { code, iat: Math.floor(clickedAt.getTime() / SECOND) };
  return tokens.sign(PURPOSE, claims, addMs(clickedAt, ATTRIBUTION_MS));
}

/** Returns the click that a cookie stores; null if we did not sign it or the click is over 30 days old. */
export async function verifyClick(
  tokens: SignedTokens,
  cookie: string | undefined,
): Promise<RememberedClick | null> {
  const claims = cookie === undefined ? 'invalid' : await tokens.verify(PURPOSE, cookie);
  if (typeof claims === 'string') return null;
  return { code: String(claims.code), clickedAt: new Date(Number(claims.iat) * SECOND) };
}

/** Encodes a click for a checkout session: `<code>.<Unix seconds in base 36>`. */
export function encodeClick({ code, clickedAt }: RememberedClick): string {
  return `${code}.${Math.floor(clickedAt.getTime() / SECOND).toString(36)}`;
}

/** Decodes the result of {@link encodeClick}. Returns null for anything else, including a code without a time. */
export function decodeClick(value: string | null | undefined): RememberedClick | null {
  const [code = '', seconds = '', ...more] = (value ?? '').split('.');
  if (!isCode(code) || more.length > 0 || !/^[0-9a-z]{1,8}$/.test(seconds)) return null;
  return { code, clickedAt: new Date(Number.parseInt(seconds, 36) * SECOND) };
}

/** Returns the later of two encoded clicks, so that a browser with an older click does not replace a newer one. */
export function laterClick(known: string | null, given: string | null): string | null {
  const [before, now] = [decodeClick(known), decodeClick(given)];
  if (!now) return known;
  return before && before.clickedAt > now.clickedAt ? known : given;
}

/** Returns whether a click still counts at `now`: it is not over 30 days old and not in the future. */
export function isInAttributionWindow(clickedAt: Date, now: Date): boolean {
  return clickedAt >= addMs(now, -ATTRIBUTION_MS) && clickedAt <= addMs(now, MAX_AHEAD_MS);
}
