import type { SignedTokens } from '../platform/signed-token.ts';
import type { Quote } from './quote.ts';

const PURPOSE = 'quote';

/** What a token says of its quote. */
export interface QuoteClaims {
  id: string;
  /** As A-labels. */
  domain: string;
}

/** The `quote_id` that partners see: signed, and readable for whoever wants to look inside. */
export function writeQuoteToken(
  tokens: SignedTokens,
  quote: Quote,
  domain: string,
): Promise<string> {
  return tokens.sign(
    PURPOSE,
    { jti: quote.id, domain, price_cents: quote.price.amount, currency: quote.price.currency },
    quote.expiresAt,
  );
}

/** The quote's id and domain, `'expired'` for one of ours past its time, `'invalid'` for anything else. */
export async function readQuoteToken(
  tokens: SignedTokens,
  token: string,
): Promise<QuoteClaims | 'expired' | 'invalid'> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'expired' || claims === 'invalid') return claims;
  const { jti: id, domain } = claims;
  return id === undefined || typeof domain !== 'string' ? 'invalid' : { id, domain };
}
