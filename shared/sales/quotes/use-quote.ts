import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { SignedTokens } from '../../platform/crypto/signed-tokens.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { lockQuote, selectHolder, updateOwnOrExpiredHold, updateUsed } from './quote.store.ts';
import {
  type Quote,
  type QuoteClaims,
  type QuoteOwner,
  quoteValidity,
  readQuoteToken,
} from './quote.ts';

/** A `quote_id`: the token as the partner sent it, and the result of reading it. */
export interface QuoteInput {
  token: string;
  read: QuoteClaims | 'expired' | 'invalid';
}

/** Reads the `quote_id` that a partner sent. Returns null if none was sent. */
export async function quoteInput(
  tokens: SignedTokens,
  token: string | undefined,
): Promise<QuoteInput | null> {
  return token === undefined ? null : { token, read: await readQuoteToken(tokens, token) };
}

/** Returns the contents of the quote's token; null without a quote. @throws validation_error, quote_expired */
export function readQuote(quote: QuoteInput | null): QuoteClaims | null {
  if (quote === null) return null;
  if (quote.read === 'invalid') throw unknownQuote();
  if (quote.read === 'expired') throw fail('quote_expired');
  return quote.read;
}

/**
 * Locks a partner's quote that is valid for a sale of this listing. {@link useQuote} must follow.
 * @throws validation_error for a quote that is not this partner's or is for another domain, conflict
 *   (quote_used), quote_expired
 */
export async function lockValidQuote(
  uow: UnitOfWork,
  owner: QuoteOwner,
  quoteId: string,
  listingId: number | undefined,
): Promise<Quote> {
  const quote = await lockQuote(uow.sql, owner, quoteId);
  if (!quote) throw unknownQuote();
  if (quote.listingId !== listingId) {
    throw invalid([{ path: '/quote_id', message: 'is a quote for another domain' }]);
  }
  switch (quoteValidity(quote, uow.now)) {
    case 'used':
      throw conflict('quote_used', 'This quote was already used.');
    case 'expired':
      throw fail('quote_expired');
    case 'dead':
      throw fail('quote_expired', {
        message: 'This quote was released or replaced by a newer one. Get a new quote.',
      });
    case 'good':
      return quote;
  }
}

/** Marks a quote as used for an order. */
export async function useQuote(uow: UnitOfWork, quote: Quote, orderId: string): Promise<void> {
  await updateUsed.send(uow.pipeline, { id: quote.id, orderId });
}

/**
 * Clears the way for a sale without a quote: ends the partner's own hold.
 * @throws conflict (domain_reserved) while another partner holds the listing
 */
export async function clearHoldForSale(
  uow: UnitOfWork,
  { partnerId }: QuoteOwner,
  listingId: number,
): Promise<void> {
  const { realNow: now } = uow;
  await updateOwnOrExpiredHold.send(uow.pipeline, { partnerId, listingId, now });
  if (await selectHolder.first(uow.sql, { listingId, now })) {
    throw conflict('domain_reserved', 'The domain is held by another quote. Try again later.');
  }
}

/** The error for a `quote_id` that was never this partner's: the same whether it is forged or another partner's. */
function unknownQuote() {
  return invalid([{ path: '/quote_id', message: 'is not a quote of yours' }]);
}
