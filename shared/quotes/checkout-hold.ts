import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { endCheckoutHold, endOwnOrExpiredHold, findHolder, insertHold } from './quote.store.ts';
import type { Quote, QuoteOwner } from './quote.ts';

/** What a buyer at the till wants to keep from everybody else. */
export interface CheckoutHold
  extends QuoteOwner,
    Pick<Quote, 'listingId' | 'priceCents' | 'currency' | 'expiresAt'> {
  sessionId: string;
}

/**
 * Holds a listing for the buyer of a checkout session, anew when the session holds it already; a quote of
 * its own partner gives way. False when somebody else holds it. The listing is locked before.
 */
export async function holdForCheckout(tx: Tx, hold: CheckoutHold, now: Date): Promise<boolean> {
  await endCheckoutHold(tx, hold.sessionId, 'superseded');
  await endOwnOrExpiredHold(tx, hold, hold.listingId, now);
  const { sessionId, partnerId, environment, listingId, priceCents, currency, expiresAt } = hold;
  const quote: Quote = {
    id: newId('quote', now),
    partnerId,
    environment,
    listingId,
    priceCents,
    currency,
    state: 'open',
    createdAt: now,
    expiresAt,
  };
  return insertHold(tx, quote, sessionId);
}

/** Turns what a session holds into a sale. False, and nothing changes, while somebody else holds the listing. */
export async function takeCheckoutHold(
  tx: Tx,
  owner: QuoteOwner & { sessionId: string },
  listingId: number,
  now: Date,
): Promise<boolean> {
  await endOwnOrExpiredHold(tx, owner, listingId, now);
  const holder = await findHolder(tx, listingId, now);
  if (holder !== undefined && holder !== owner.sessionId) return false;
  await endCheckoutHold(tx, owner.sessionId, 'used');
  return true;
}

/** Gives back what a session holds, if anything. */
export async function releaseCheckoutHold(tx: Tx, sessionId: string): Promise<void> {
  await endCheckoutHold(tx, sessionId, 'released');
}
