import type { Registrant } from '../../domains/registrants/registrant.ts';
import { partiesOfRegistrant } from '../../domains/registrants/registrant-parties.ts';
import { lockListing, markSold } from '../../market/inventory/change-listings.ts';
import {
  assertNoLegalHold,
  assertPremiumKnown,
  assertTransferable,
  isForSale,
  type Listing,
} from '../../market/inventory/listing.ts';
import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { salePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import type { Caller } from '../../people/partners/credential.ts';
import { readDeliveryMethod } from '../../people/partners/read-partners.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type Cents, Money } from '../../platform/money.ts';
import type { Quote } from '../quotes/quote.ts';
import {
  clearHoldForSale,
  lockValidQuote,
  type QuoteInput,
  readQuote,
  useQuote,
} from '../quotes/use-quote.ts';
import { issueSaleDocuments } from './buyer-documents.ts';
import { beginningOf, reviewReasons } from './manual-review.ts';
import { orderEvent } from './order.events.ts';
import { scheduleTransfer } from './order.jobs.ts';
import { orderHeldMail, receiptMail } from './order.mails.ts';
import { writeOrder } from './order.store.ts';
import {
  type Buyer,
  buyerOf,
  type DeliveryWish,
  type Order,
  type OrderStatus,
  type PaymentModel,
} from './order.ts';
import { actionOfNewOrder, askForRegistrant, keepRegistrant } from './order-registrant.ts';
import { recordMatches } from './screen-order.ts';

/** A sale whose price the partner has already collected. */
export interface SaleToRecord {
  /** A-labels; may be left out with a quote. */
  domain: string | null;
  /** The price that the partner sold it for; may be left out with a quote. */
  expectedPriceCents: Cents | null;
  /** Null for the quote's; without a quote, for USD. */
  currency: string | null;
  /** The yearly registry fee of a premium name that the buyer was told. */
  premiumRenewalFeeCents?: Cents | null;
  buyer: Buyer;
  quote: QuoteInput | null;
  externalPaymentRef: string | null;
  returnUrl: string | null;
  cancelUrl: string | null;
  /** The registrant of the domain. Without one, the order may have to wait. */
  registrant: Registrant | null;
  /** Null for the partner's default. */
  delivery?: DeliveryWish | null;
}

/**
 * Records a merchant-of-record sale: the order, its timeline, the sold listing, the ledger entry, the event and the
 * transfer job.
 * @throws not_found, conflict (domain_sold, domain_reserved, quote_used, transfer_locked, legal_hold, premium_price),
 *   quote_expired, price_mismatch, validation_error
 */
export async function recordOrder(
  uow: UnitOfWork,
  { config, secrets }: { config: Config; secrets: SecretBox },
  caller: Caller,
  sale: SaleToRecord,
): Promise<Order> {
  const quoted = readQuote(sale.quote);
  const domain = sale.domain ?? quoted?.domain;
  if (domain === undefined) {
    throw invalid([{ path: '/domain', message: 'is required without a quote_id' }]);
  }
  const listing = await lockListing(uow, caller.environment, domain);
  assertNoLegalHold(listing);
  const quote = quoted && (await lockValidQuote(uow, caller, quoted.id, listing?.id));
  if (!quote && listing?.status === 'listed') await clearHoldForSale(uow, caller, listing.id);
  assertForSale(listing, domain, quote);
  const outcome = sandboxOutcome(caller.environment, domain);
  if (outcome === 'sold') throw alreadySold(domain);
  assertTransferable(listing, uow.realNow);
  const price = quote?.price ?? listing.price;
  assertPrice(sale, price, quote);
  assertPremiumKnown(listing, sale.premiumRenewalFeeCents ?? null);

  const { partnerId, environment } = caller;
  const about = { partnerId, environment, domain: listing.domain };
  const { buyer, registrant } = sale;
  const reasons = await reviewReasons(uow, config, { ...about, price, buyer, registrant });
  const paymentModel = 'merchant_of_record' as const;
  const order = newOrder(
    {
      ...about,
      commissionBps: caller.commissionBps,
      listing,
      ...beginningOf({ ...about, paymentModel }, reasons),
      paymentModel,
      price,
      buyer,
      quoteId: sale.quote?.token ?? null,
      externalPaymentRef: sale.externalPaymentRef,
      returnUrl: sale.returnUrl,
      cancelUrl: sale.cancelUrl,
      hasRegistrant: registrant !== null,
      delivery: sale.delivery ?? deliveryOf(caller),
    },
    uow.now,
  );
  await markSold(uow, listing);
  if (quote) await useQuote(uow, quote, order.id);
  await insertSale(uow, config, order);
  if (registrant) {
    await keepRegistrant(uow, secrets, order.id, registrant);
    await recordMatches(uow, order, partiesOfRegistrant(registrant));
  }
  return order;
}

/** The partner's default delivery; null in the sandbox, which delivers automatically. */
function deliveryOf({ environment, deliveryMethod }: Caller): DeliveryWish | null {
  if (environment !== 'LIVE' || deliveryMethod === undefined) return null;
  return { method: deliveryMethod, gainingRegistrar: null };
}

/** Returns the partner's default delivery, for a sale that we make in a partner's name. @throws not_found */
export async function deliveryOfPartner(
  uow: UnitOfWork,
  { environment, partnerId }: Pick<Order, 'environment' | 'partnerId'>,
): Promise<DeliveryWish | null> {
  if (environment !== 'LIVE') return null;
  return { method: await readDeliveryMethod(uow.sql, partnerId), gainingRegistrar: null };
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

function assertPrice(sale: SaleToRecord, inForce: Money, quote: Quote | null): void {
  const currency = sale.currency ?? quote?.price.currency ?? 'USD';
  const expected = new Money(sale.expectedPriceCents ?? inForce.amount, currency);
  if (expected.equals(inForce)) return;
  throw fail('price_mismatch', {
    message: `The price in force is ${inForce.amount} ${inForce.currency} (minor units).`,
    details: { sale_price_cents: inForce.amount, currency: inForce.currency },
  });
}

function alreadySold(domain: string) {
  return conflict('domain_sold', `${domain} has been sold.`);
}

/** The input from which {@link newOrder} creates an order. */
export interface Sale {
  partnerId: string;
  environment: Environment;
  /** Basis points; fixed on the order. */
  commissionBps: number;
  listing: Pick<Listing, 'id' | 'saleNumber'>;
  domain: string;
  status: OrderStatus;
  paymentModel: PaymentModel;
  price: Money;
  buyer: Buyer;
  quoteId?: string | null;
  externalPaymentRef?: string | null;
  returnUrl?: string | null;
  cancelUrl?: string | null;
  reviewReasons?: readonly string[];
  checkoutSessionId?: string | null;
  brokerageCaseId?: string | null;
  referralLinkId?: string | null;
  hasRegistrant?: boolean;
  delivery?: DeliveryWish | null;
}

/**
 * Creates a new order. A partner that collected the price owes us the price less its commission. Otherwise it owes
 * nothing, and we pay out its commission.
 */
export function newOrder(sale: Sale, now: Date): Order {
  const commission = sale.price.share(sale.commissionBps);
  const collected = sale.paymentModel === 'merchant_of_record';
  return {
    id: newId('order', now),
    partnerId: sale.partnerId,
    environment: sale.environment,
    listingId: sale.listing.id,
    saleNumber: sale.listing.saleNumber,
    domain: sale.domain,
    status: sale.status,
    paymentModel: sale.paymentModel,
    price: sale.price,
    commissionBps: sale.commissionBps,
    commission,
    amountOwed: collected ? sale.price.minus(commission) : sale.price.zero(),
    buyerEmail: sale.buyer.email,
    buyerName: sale.buyer.name,
    buyerCountry: sale.buyer.country,
    quoteId: sale.quoteId ?? null,
    externalPaymentRef: sale.externalPaymentRef ?? null,
    returnUrl: sale.returnUrl ?? null,
    cancelUrl: sale.cancelUrl ?? null,
    reviewReasons: sale.reviewReasons ?? [],
    createdAt: now,
    updatedAt: now,
    transferCompletedAt: null,
    settledAt: null,
    refundedAt: null,
    settlementId: null,
    checkoutSessionId: sale.checkoutSessionId ?? null,
    brokerageCaseId: sale.brokerageCaseId ?? null,
    referralLinkId: sale.referralLinkId ?? null,
    actionRequired: sale.hasRegistrant ? null : actionOfNewOrder(sale),
    deliveryMethod: sale.delivery?.method ?? null,
    gainingRegistrar: sale.delivery?.gainingRegistrar ?? null,
  };
}

/**
 * Writes a sale: the order with its timeline, its ledger entry, the buyer's receipt and invoice if we were paid, the
 * transfer job of the automatic policy or the request for a registrant, and the events. The caller must have marked
 * the listing as sold.
 */
export async function insertSale(uow: UnitOfWork, config: Config, order: Order): Promise<void> {
  const held = order.status === 'MANUAL_REVIEW';
  await writeOrder(uow.pipeline, order, 'order.recorded', held ? 'Held for manual review' : null);
  await recordMatches(uow, order);
  await postEntry(uow, {
    kind: 'sale',
    reference: order.id,
    partnerId: order.partnerId,
    environment: order.environment,
    orderId: order.id,
    postings: salePostings(order),
  });
  const documents = issueSaleDocuments(uow, config, order);
  if (!held) scheduleTransfer(uow, config, order);
  addSaleMails(uow, order, documents);
  uow.events.add(order, orderEvent('order.recorded', order));
  if (order.actionRequired !== null) await askForRegistrant(uow, order);
}

/** Adds the buyer's receipt if we collected the money, and the partner's notice of a held order. */
function addSaleMails(uow: UnitOfWork, order: Order, documents: readonly string[]): void {
  const { id: orderId, domain, price } = order;
  if (order.paymentModel !== 'merchant_of_record') {
    uow.mails.add(receiptMail, {
      to: buyerOf(order),
      of: order,
      data: { orderId, domain, buyerName: order.buyerName, price, paidAt: uow.now.toISOString() },
      documents,
    });
  }
  if (order.status === 'MANUAL_REVIEW') {
    const reasons = [...order.reviewReasons];
    uow.mails.add(orderHeldMail, {
      to: 'contacts',
      of: order,
      data: { orderId, domain, price, reasons },
    });
  }
}
