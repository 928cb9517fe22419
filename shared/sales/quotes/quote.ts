import type { Environment } from '../../platform/config/config.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import type { Money } from '../../platform/money.ts';

/** A price lock. While it is open and has not expired, it holds its listing for its partner. */
export interface Quote {
  id: string;
  partnerId: string;
  environment: Environment;
  listingId: number;
  price: Money;
  state: 'open' | 'used' | 'released' | 'superseded' | 'expired';
  createdAt: Date;
  expiresAt: Date;
  /** The accepted offer whose price it keeps, if any. */
  offerId: string | null;
}

/** The owner of quotes. Every query is limited to it. */
export interface QuoteOwner {
  partnerId: string;
  environment: Environment;
}

/** Returns whether a quote can be used now. The stored state may lag behind the clock. */
export function quoteValidity(quote: Quote, now: Date): 'good' | 'used' | 'expired' | 'dead' {
  if (quote.state === 'used') return 'used';
  if (quote.expiresAt <= now || quote.state === 'expired') return 'expired';
  return quote.state === 'open' ? 'good' : 'dead';
}

const PURPOSE = 'quote';

/** What a token says about its quote. */
export interface QuoteClaims {
  id: string;
  /** As A-labels. */
  domain: string;
}

/** Creates the `quote_id` that partners see. It is signed but not encrypted. */
export function writeQuoteToken(
  tokens: SignedTokens,
  quote: Pick<Quote, 'id' | 'price' | 'expiresAt'>,
  domain: string,
): Promise<string> {
  return tokens.sign(
    PURPOSE,
    { jti: quote.id, domain, price_cents: quote.price.amount, currency: quote.price.currency },
    quote.expiresAt,
  );
}

/** Returns the quote's id and domain; `'expired'` for an expired token of ours, `'invalid'` for anything else. */
export async function readQuoteToken(
  tokens: SignedTokens,
  token: string,
): Promise<QuoteClaims | 'expired' | 'invalid'> {
  const claims = await tokens.verify(PURPOSE, token);
  if (claims === 'expired' || claims === 'invalid') return claims;
  const { jti: id, domain } = claims;
  return id === undefined || typeof domain !== 'string' ? 'invalid' : { id, domain };
}
