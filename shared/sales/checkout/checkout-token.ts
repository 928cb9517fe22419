import { addMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import {
  type SignedTokens,
  subjectOf,
  type TokenSigner,
} from '../../platform/crypto/signed-tokens.ts';
import { Money } from '../../platform/money.ts';
import { type CheckoutSession, CLEARED_MS, REVIEW_MS } from './checkout-session.ts';

const LINK = 'checkout';
const FORM = 'checkout-form';

/**
 * The latest time at which a session can end, so that its token outlives it. A review may extend a session by a day
 * past `expiresAt`, and another review, of changed buyer details, by another day.
 */
const lastEnd = (expiresAt: Date) => addMs(expiresAt, REVIEW_MS + CLEARED_MS);

/** Creates the `pt` of a checkout link, valid for one session as long as that session can last. */
async function writeLinkToken(
  tokens: TokenSigner,
  session: Pick<CheckoutSession, 'id' | 'expiresAt'>,
): Promise<string> {
  return tokens.sign(LINK, { sub: session.id }, lastEnd(session.expiresAt));
}

/** Returns the URL of a session's payment page. */
export async function sessionUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  session: Pick<CheckoutSession, 'id' | 'expiresAt'>,
): Promise<string> {
  const token = await writeLinkToken(tokens, session);
  return `${config.baseUrl}/checkout/${session.id}?pt=${token}`;
}

/** Returns whether `token` opens this session. */
export async function readLinkToken(
  tokens: SignedTokens,
  sessionId: string,
  token: string,
): Promise<'good' | 'expired' | 'invalid'> {
  const claims = await tokens.verify(LINK, token);
  if (claims === 'invalid' || subjectOf(token) !== sessionId) return 'invalid';
  return claims === 'expired' ? 'expired' : 'good';
}

/** Creates the proof that a form is ours, for this session and the price shown. Valid as long as the session's link. */
export async function writeFormToken(
  tokens: SignedTokens,
  sessionId: string,
  shown: Money,
  expiresAt: Date,
): Promise<string> {
  return tokens.sign(
    FORM,
    { sub: sessionId, price_cents: shown.amount, currency: shown.currency },
    lastEnd(expiresAt),
  );
}

/** Returns the price that the form showed; undefined if it is not our form for this session. */
export async function readFormToken(
  tokens: SignedTokens,
  sessionId: string,
  token: string,
): Promise<Money | undefined> {
  const claims = await tokens.verify(FORM, token);
  if (claims === 'expired' || claims === 'invalid' || claims.sub !== sessionId) return undefined;
  return new Money(Number(claims.price_cents), String(claims.currency));
}
