import { addMs, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SignedTokens, TokenSigner } from '../../platform/crypto/signed-tokens.ts';
import { Money } from '../../platform/money.ts';
import type { CheckoutSession } from './checkout-session.ts';

const LINK = 'checkout';
const FORM = 'checkout-form';

/** The `pt` of a checkout link: good for one session, as long as that is. */
export async function writeLinkToken(
  tokens: TokenSigner,
  session: Pick<CheckoutSession, 'id' | 'expiresAt'>,
): Promise<string> {
  return tokens.sign(LINK, { sub: session.id }, session.expiresAt);
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

/** Proof that a form is ours, for this session, and which price it showed. */
export async function writeFormToken(
  tokens: SignedTokens,
  sessionId: string,
  shown: Money,
  expiresAt: Date,
): Promise<string> {
  // A form that was open when the time ran out is told so by the session, not by its token.
  return tokens.sign(
    FORM,
    { sub: sessionId, price_cents: shown.amount, currency: shown.currency },
    addMs(expiresAt, MINUTE),
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
