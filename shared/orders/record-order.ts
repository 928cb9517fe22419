import type { Listing } from '../inventory/listing.ts';
import { lockListing, markSold } from '../inventory/listing-sale.ts';
import { sandboxOutcome } from '../inventory/sandbox-names.ts';
import type { Caller } from '../partners/credential.ts';
import { HOUR, later } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { conflict, fail } from '../platform/errors.ts';
import type { Cents } from '../platform/money.ts';
import { noQuoteOfYours, passHold, takeQuote } from '../quotes/use-quote.ts';
import { insertSale, newOrder } from './insert-sale.ts';
import { countOrdersSince } from './order.store.ts';
import type { Buyer, Order } from './order.ts';
import { reviewReasons, watchesVelocity } from './review.ts';

/** A sale that the partner has collected already. */
export interface SaleToRecord {
  /** A-labels. */
  domain: string;
  /** What the partner sold it for; may be left out with a quote. */
  expectedPriceCents: Cents | null;
  currency: string;
  buyer: Buyer;
  /** The token as the partner sent it, and what reading it gave. */
  quote: { token: string; read: { id: string } | 'expired' | 'invalid' } | null;
  externalPaymentRef: string | null;
  returnUrl: string | null;
  cancelUrl: string | null;
}

/**
 * Records a merchant-of-record sale: the order, its timeline, the listing's end, the ledger entry, the
 * event and the transfer job, all in the caller's transaction. `beforeEvent` is what the caller does with the
 * order before the event takes the lock of the partner's stream.
 * @throws not_found, conflict (domain_sold, domain_reserved, quote_used), quote_expired, price_mismatch,
 *   validation_error
 */
export async function recordOrder(
  tx: Tx,
  config: Config,
  caller: Caller,
  sale: SaleToRecord,
  now: Date,
  beforeEvent: (order: Order) => Promise<void> = async () => {},
): Promise<Order> {
  const listing = await lockListing(tx, caller.environment, sale.domain);
  const quotedPrice = await settleHold(tx, caller, sale, listing, now);
  assertForSale(listing, sale.domain);
  const outcome = sandboxOutcome(caller.environment, sale.domain);
  if (outcome === 'sold') throw sold(sale.domain);
  assertPrice(sale, quotedPrice ?? listing);

  const price = (quotedPrice ?? listing).priceCents;
  const reasons = reviewReasons(config, {
    environment: caller.environment,
    priceCents: price,
    buyerCountry: sale.buyer.country,
    ordersInLastHour: watchesVelocity(config, caller.environment)
      ? await countOrdersSince(tx, caller, later(now, -HOUR))
      : 0,
    sandboxOutcome: outcome,
  });
  const order = newOrder(
    {
      partnerId: caller.partnerId,
      environment: caller.environment,
      commissionBps: caller.commissionBps,
      listingId: listing.id,
      domain: listing.domain,
      status: reasons.length > 0 ? 'MANUAL_REVIEW' : 'EXTERNALLY_PAID',
      paymentModel: 'merchant_of_record',
      salePriceCents: price,
      currency: listing.currency,
      buyer: sale.buyer,
      quoteId: sale.quote?.token ?? null,
      externalPaymentRef: sale.externalPaymentRef,
      returnUrl: sale.returnUrl,
      cancelUrl: sale.cancelUrl,
      reviewReasons: reasons,
    },
    now,
  );
  if (!(await markSold(tx, listing.id, now))) throw sold(sale.domain);
  await insertSale(tx, config, order, now, () => beforeEvent(order));
  return order;
}

/** The quote's price, when there is one; otherwise makes sure that nobody else holds the domain. */
async function settleHold(
  tx: Tx,
  caller: Caller,
  sale: SaleToRecord,
  listing: Listing | undefined,
  now: Date,
): Promise<{ priceCents: Cents; currency: string } | null> {
  if (sale.quote === null) {
    if (listing?.status === 'listed') await passHold(tx, caller, listing.id, now);
    return null;
  }
  if (sale.quote.read === 'invalid') throw noQuoteOfYours();
  if (sale.quote.read === 'expired') throw fail('quote_expired');
  return takeQuote(tx, caller, sale.quote.read.id, listing?.id, now);
}

function assertForSale(listing: Listing | undefined, domain: string): asserts listing is Listing {
  if (!listing || listing.status === 'delisted') {
    throw fail('not_found', { message: `${domain} is not listed.` });
  }
  if (listing.status === 'sold') throw sold(domain);
}

function assertPrice(sale: SaleToRecord, inForce: { priceCents: Cents; currency: string }): void {
  const samePrice =
    sale.expectedPriceCents === null || sale.expectedPriceCents === inForce.priceCents;
  if (samePrice && sale.currency === inForce.currency) return;
  throw fail('price_mismatch', {
    message: `The price in force is ${inForce.priceCents} ${inForce.currency} (minor units).`,
    details: { sale_price_cents: inForce.priceCents, currency: inForce.currency },
  });
}

function sold(domain: string) {
  return conflict('domain_sold', `${domain} has been sold.`);
}
