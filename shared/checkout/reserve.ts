import { lockListing } from '../inventory/listing-sale.ts';
import { sandboxOutcome } from '../inventory/sandbox-names.ts';
import { isActivePartner } from '../partners/is-active.ts';
import type { Payment } from '../payments/payment.ts';
import { later, MINUTE } from '../platform/clock.ts';
import type { Tx } from '../platform/db.ts';
import { holdForCheckout } from '../quotes/checkout-hold.ts';
import { type CheckoutSession, type Price, priceInForce, samePrice } from './session.ts';

/** The news of a payment in its last second must find the domain still held. */
const SLACK_MS = 5 * MINUTE;

/**
 * Keeps the domain for the buyer until shortly after `expiresAt`, at the price that it has now; or says why
 * that can't be, and holds nothing. A payment under way keeps its own price.
 */
export async function reserve(
  tx: Tx,
  session: CheckoutSession,
  payment: { underWay: Payment | undefined; expiresAt: Date },
  shown: Price,
  now: Date,
): Promise<Price | 'sold' | 'reserved' | 'repriced'> {
  const listing = await lockListing(tx, session.environment, session.domain);
  const sold = sandboxOutcome(session.environment, session.domain) === 'sold';
  if (listing?.status !== 'listed' || sold) return 'sold';
  // Nobody pays any more on the pages of a partner that was shut out.
  if (!(await isActivePartner(tx, session.partnerId))) return 'sold';
  const price = priceInForce(session, listing, payment.underWay, now);
  if (!samePrice(shown, price)) return 'repriced';
  const { id: sessionId, partnerId, environment } = session;
  const expiresAt = later(payment.expiresAt, SLACK_MS);
  const hold = { sessionId, partnerId, environment, listingId: listing.id, ...price, expiresAt };
  return (await holdForCheckout(tx, hold, now)) ? price : 'reserved';
}
