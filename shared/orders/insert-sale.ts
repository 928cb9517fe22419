import { recordEvents } from '../events/record-events.ts';
import { salePostings } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Config, Environment } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { Money } from '../platform/money.ts';
import { orderEvent } from './order.events.ts';
import { startTransferJobs } from './order.jobs.ts';
import { insertOrder } from './order.store.ts';
import type { Buyer, Order, PaymentModel } from './order.ts';
import type { OrderStatus } from './order-states.ts';

/** What makes a sale; the rest of an order follows from it. */
export interface Sale {
  partnerId: string;
  environment: Environment;
  /** Basis points; fixed on the order from here on. */
  commissionBps: number;
  listingId: number | null;
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
}

/**
 * An order as it begins. A partner that collected the price owes it less its commission; otherwise it owes
 * nothing, and its commission is paid out.
 */
export function newOrder(sale: Sale, now: Date): Order {
  const commission = sale.price.share(sale.commissionBps);
  const collected = sale.paymentModel === 'merchant_of_record';
  return {
    id: newId('order', now),
    partnerId: sale.partnerId,
    environment: sale.environment,
    listingId: sale.listingId,
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
  };
}

/**
 * Writes a sale as one thing: the order with its timeline, its one ledger entry, the transfer job of the
 * automatic policy, what the caller adds to a sale of its kind, and the event, last. The listing is the
 * caller's to take off the market, before.
 */
export async function insertSale(
  tx: Tx,
  config: Config,
  order: Order,
  now: Date,
  addition: () => Promise<unknown> = async () => {},
): Promise<void> {
  const held = order.status === 'MANUAL_REVIEW';
  await insertOrder(tx, order, 'order.recorded', held ? 'Held for manual review' : null);
  await postEntry(
    tx,
    {
      kind: 'sale',
      reference: order.id,
      partnerId: order.partnerId,
      environment: order.environment,
      orderId: order.id,
      postings: salePostings(order),
    },
    now,
  );
  if (!held) await enqueue(tx, startTransferJobs(config, order, now), now);
  await addition();
  await recordEvents(tx, order, [orderEvent('order.recorded', order)], now);
}
