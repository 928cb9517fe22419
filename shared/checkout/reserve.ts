import { isForSale } from '../inventory/listing.ts';
import { lockListing } from '../inventory/listing-sale.ts';
import { sandboxOutcome } from '../inventory/sandbox-names.ts';
import { isActivePartner } from '../partners/is-active.ts';
import type { Payment } from '../payments/payment.ts';
import { addMs, MINUTE } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import type { Money } from '../platform/money.ts';
import { hasCheckoutHold, holdForCheckout } from '../quotes/checkout-hold.ts';
import { lockHolds } from '../quotes/hold-limit.ts';
import { type CheckoutSession, priceInForce } from './session.ts';

/** The news of a payment in its last second must find the domain still held. */
const HOLD_MARGIN_MS = 5 * MINUTE;

/**
 * Keeps the domain for the buyer until shortly after `expiresAt`, at the price that it has now; or says why
 * that can't be, and holds nothing. A payment under way keeps its own price.
 * @throws conflict (too_many_holds) when the partner's quotes and buyers hold as many domains as they may
 */
export async function reserveDomain(
  tx: Tx,
  config: Pick<Config, 'maxOpenHolds'>,
  session: CheckoutSession,
  payment: { underWay: Payment | undefined; expiresAt: Date },
  shown: Money,
  now: Date,
): Promise<Money | 'sold' | 'reserved' | 'repriced'> {
  await lockHolds(tx, session.partnerId);
  const listing = await lockListing(tx, session.environment, session.domain);
  if (!listing || sandboxOutcome(session.environment, session.domain) === 'sold') return 'sold';
  const held = await hasCheckoutHold(tx, session.id, listing.id, now);
  if (!isForSale(listing, { held })) return 'sold';
  // Nobody pays any more on the pages of a partner that was shut out.
  if (!(await isActivePartner(tx, session.partnerId))) return 'sold';
  const price = priceInForce(session, listing, payment.underWay, now);
  if (!shown.equals(price)) return 'repriced';
  const { id: sessionId, partnerId, environment } = session;
  const expiresAt = addMs(payment.expiresAt, HOLD_MARGIN_MS);
  const hold = { sessionId, partnerId, environment, listingId: listing.id, price, expiresAt };
  return (await holdForCheckout(tx, config, hold, now)) ? price : 'reserved';
}
