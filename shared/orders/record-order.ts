import { isForSale, type Listing } from '../inventory/listing.ts';
import { lockListing, markSold } from '../inventory/listing-sale.ts';
import { sandboxOutcome } from '../inventory/sandbox-names.ts';
import type { Caller } from '../partners/credential.ts';
import { addMs, HOUR } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { conflict, fail, invalid } from '../platform/errors.ts';
import { type Cents, Money } from '../platform/money.ts';
import type { Quote } from '../quotes/quote.ts';
import type { QuoteClaims } from '../quotes/quote-token.ts';
import { clearHoldForSale, lockValidQuote, unknownQuote, useQuote } from '../quotes/use-quote.ts';
import { insertSale, newOrder } from './insert-sale.ts';
import { countOrdersSince } from './order.store.ts';
import type { Buyer, Order } from './order.ts';
import { reviewReasons, watchesVelocity } from './review.ts';

/** A sale that the partner has collected already. */
export interface SaleToRecord {
  /** A-labels; may be left out with a quote. */
  domain: string | null;
  /** What the partner sold it for; may be left out with a quote. */
  expectedPriceCents: Cents | null;
  currency: string;
  buyer: Buyer;
  /** The token as the partner sent it, and what reading it gave. */
  quote: { token: string; read: QuoteClaims | 'expired' | 'invalid' } | null;
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
  const quoted = readQuote(sale);
  const domain = sale.domain ?? quoted?.domain;
  if (domain === undefined) {
    throw invalid([{ path: '/domain', message: 'is required without a quote_id' }]);
  }
  const listing = await lockListing(tx, caller.environment, domain);
  const quote = quoted && (await lockValidQuote(tx, caller, quoted.id, listing?.id, now));
  if (!quote && listing?.status === 'listed') await clearHoldForSale(tx, caller, listing.id, now);
  assertForSale(listing, domain, quote);
  const outcome = sandboxOutcome(caller.environment, domain);
  if (outcome === 'sold') throw alreadySold(domain);
  const price = quote?.price ?? listing.price;
  assertPrice(sale, price);

  const reasons = reviewReasons(config, {
    environment: caller.environment,
    price,
    buyerCountry: sale.buyer.country,
    ordersInLastHour: watchesVelocity(config, caller.environment)
      ? await countOrdersSince(tx, caller, addMs(now, -HOUR))
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
      price,
      buyer: sale.buyer,
      quoteId: sale.quote?.token ?? null,
      externalPaymentRef: sale.externalPaymentRef,
      returnUrl: sale.returnUrl,
      cancelUrl: sale.cancelUrl,
      reviewReasons: reasons,
    },
    now,
  );
  if (!(await markSold(tx, listing.id, now, { held: quote !== null }))) throw alreadySold(domain);
  if (quote) await useQuote(tx, quote, order.id);
  await insertSale(tx, config, order, now, () => beforeEvent(order));
  return order;
}

/** What the quote's token says, when there is one. @throws validation_error, quote_expired */
function readQuote({ quote }: SaleToRecord): QuoteClaims | null {
  if (quote === null) return null;
  if (quote.read === 'invalid') throw unknownQuote();
  if (quote.read === 'expired') throw fail('quote_expired');
  return quote.read;
}

function assertForSale(
  listing: Listing | undefined,
  domain: string,
  quote: Quote | null,
): asserts listing is Listing {
  if (listing?.status === 'sold') throw alreadySold(domain);
  if (!listing || !isForSale(listing, { held: quote !== null })) {
    throw fail('not_found', { message: `${domain} is not listed.` });
  }
}

function assertPrice(sale: SaleToRecord, inForce: Money): void {
  const expected = new Money(sale.expectedPriceCents ?? inForce.amount, sale.currency);
  if (expected.equals(inForce)) return;
  throw fail('price_mismatch', {
    message: `The price in force is ${inForce.amount} ${inForce.currency} (minor units).`,
    details: { sale_price_cents: inForce.amount, currency: inForce.currency },
  });
}

function alreadySold(domain: string) {
  return conflict('domain_sold', `${domain} has been sold.`);
}
