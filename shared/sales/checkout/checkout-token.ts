import { addMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { Money } from '../../platform/money.ts';
import { type CheckoutSession, CLEARED_MS, REVIEW_MS } from './checkout-session.ts';

const LINK = 'checkout';
const FORM = 'checkout-form';

/**
 * Until then the session says itself whether it is over: a review may let it live a day longer than to `expiresAt`, and
 * the next one, of other details of its buyer, another day.
 */
const lastEnd = (expiresAt: Date) => addMs(expiresAt, REVIEW_MS + CLEARED_MS);

/** The `pt` of a checkout link: good for one session, as long as that can be. */
async function writeLinkToken(
  tokens: TokenSigner,
  session: Pick<CheckoutSession, 'id' | 'expiresAt'>,
): Promise<string> {
  return tokens.sign(LINK, { sub: session.id }, lastEnd(session.expiresAt));
}

/** The address of a session's page. */
export async function sessionUrl(
  { config, tokens }: { config: Pick<Config, 'baseUrl'>; tokens: TokenSigner },
  session: Pick<CheckoutSession, 'id' | 'expiresAt'>,
): Promise<string> {
  const token = await writeLinkToken(tokens, session);
  return `${config.baseUrl}/checkout/${session.id}?pt=${token}`;
}

/** Whether `token` opens this session. */
export async function readLinkToken(
  tokens: SignedTokens,
  sessionId: string,
  token: string,
): Promise<'good' | 'expired' | 'invalid'> {
  const claims = await tokens.verify(LINK, token);
  if (claims === 'expired' || claims === 'invalid') return claims;
  return claims.sub === sessionId ? 'good' : 'invalid';
}

/** Proof that a form is ours, for this session, and which price it showed: good as long as the link to it. */
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

/** The price that the form showed; undefined when it is no form of ours for this session. */
export async function readFormToken(
  tokens: SignedTokens,
  sessionId: string,
  token: string,
): Promise<Money | undefined> {
  const claims = await tokens.verify(FORM, token);
  if (claims === 'expired' || claims === 'invalid' || claims.sub !== sessionId) return undefined;
  return new Money(Number(claims.price_cents), String(claims.currency));
}
