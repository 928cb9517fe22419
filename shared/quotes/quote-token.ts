import type { SignedTokens } from '../platform/signed-token.ts';
import type { Quote } from './quote.ts';

const PURPOSE = 'quote';

/** The `quote_id` that partners see: signed, and readable for whoever wants to look inside. */
export function writeQuoteToken(
  tokens: SignedTokens,
  quote: Quote,
  domain: string,
): Promise<string> {
  return tokens.sign(
    PURPOSE,
    { jti: quote.id, domain, price_cents: quote.priceCents, currency: quote.currency },
    quote.expiresAt,
  );
}

/** The quote's id, `'expired'` for one of ours past its time, `'invalid'` for anything else. */
export async function readQuoteToken(
  tokens: SignedTokens,
  token: string,
): Promise<{ id: string } | 'expired' | 'invalid'> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'expired' || claims === 'invalid') return claims;
  return claims.jti === undefined ? 'invalid' : { id: claims.jti };
}
