import type { Environment } from '../platform/config.ts';
import type { Money } from '../platform/money.ts';

/** A price lock. While it is open and not expired it holds its listing for its partner. */
export interface Quote {
  id: string;
  partnerId: string;
  environment: Environment;
  listingId: number;
  price: Money;
  state: 'open' | 'used' | 'released' | 'superseded' | 'expired';
  createdAt: Date;
  expiresAt: Date;
}

/** Whose quotes: every query is bound to it. */
export interface QuoteOwner {
  partnerId: string;
  environment: Environment;
}

/** What can be done with a quote now; the stored state may lag behind the clock. */
export function quoteValidity(quote: Quote, now: Date): 'good' | 'used' | 'expired' | 'dead' {
  if (quote.state === 'used') return 'used';
  if (quote.expiresAt <= now || quote.state === 'expired') return 'expired';
  return quote.state === 'open' ? 'good' : 'dead';
}
