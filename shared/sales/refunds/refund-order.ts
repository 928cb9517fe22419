import { relist } from '../../market/inventory/change-listings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { reversePostings, salePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import { requestPaymentRefund } from '../../money/payments/payment-lifecycle.ts';
import { recordRepaymentOwed } from '../../money/payments/repay-buyer.ts';
import type { Caller } from '../../people/partners/credential.ts';
import type { Clock } from '../../platform/clock.ts';
import { conflict } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { issueCreditNote } from '../orders/buyer-documents.ts';
import { lockOrderById, moveOrder } from '../orders/move-order.ts';
import { orderEvent } from '../orders/order.events.ts';
import { buyerOf, ORDER_MOVES, type Order, type OrderStatus } from '../orders/order.ts';
import { getOrder } from '../orders/read-orders.ts';
import { reverseCommission } from '../referral/commission-lifecycle.ts';
import { cancelTransfer } from '../transfers/cancel-transfer.ts';
import { refundMail } from './refund.mails.ts';
import { insertRequest, writeRefund } from './refund.store.ts';
import {
  type Refund,
  type RefundKind,
  type RefundReason,
  type RefundRequest,
  refundKindOf,
} from './refund.ts';
import { takeDomainBack } from './secure-domain.ts';

/** A request to refund or cancel an order. */
export interface RefundInput {
  orderId: string;
  /** `by_state`: a refund before delivery, a clawback after it. */
  kind: RefundKind | 'by_state';
  reason: RefundReason;
  note: string | null;
  requestedBy: string;
}

/**
 * Refunds or cancels an order. If the registrar may already have the push of its domain, only records the refund,
 * with `completedAt` null. Nothing is reversed until the push is known to be stopped or staff decide
 * (`pending-refund.ts`).
 * @throws not_found, conflict (already_refunded, invalid_state)
 */
export async function refundOrder(
  uow: UnitOfWork,
  input: RefundInput,
): Promise<{ order: Order; refund: Refund }> {
  const before = await lockOrderById(uow, input.orderId);
  const { now } = uow;
  if (before.status === 'REFUNDED' || before.status === 'CANCELLED') {
    throw conflict('already_refunded', `The order is ${before.status} already.`);
  }
  const kind = input.kind === 'by_state' ? refundKindOf(before.status) : input.kind;
  const request: RefundRequest = {
    id: newId('refund', now),
    orderId: before.id,
    partnerId: before.partnerId,
    environment: before.environment,
    reason: input.reason,
    note: input.note,
    requestedBy: input.requestedBy,
    createdAt: now,
  };
  const from: readonly OrderStatus[] = ORDER_MOVES[kind].from;
  // A disallowed move must fail with its own error, before the transfer is checked.
  if (!from.includes(before.status)) return reverseOrder(uow, before, { kind, request });
  const end = await cancelTransfer(uow, before, {
    refundId: request.id,
    reason: `order_${kind === 'cancel' ? 'cancelled' : 'refunded'}`,
  });
  if (end === 'requested') {
    await insertRequest.send(uow.pipeline, request);
    return { order: before, refund: refundOf(before, kind, request, null) };
  }
  return reverseOrder(uow, before, {
    kind,
    request,
    // A delivered domain is no longer ours to sell.
    relists: kind !== 'claw_back',
  });
}

/**
 * Reverses an order: moves it, records the refund, reverses the ledger entry and the referral commission, returns the
 * buyer's payment with a credit note, and relists the domain if it is ours, or takes it back from its buyer's account.
 * @throws conflict (invalid_state)
 */
export async function reverseOrder(
  uow: UnitOfWork,
  before: Order,
  {
    kind,
    request,
    relists = false,
  }: { kind: RefundKind; request: RefundRequest; relists?: boolean },
): Promise<{ order: Order; refund: Refund }> {
  const { now } = uow;
  const moved = await moveOrder(uow, before.id, kind, { now, note: request.reason });
  const order: Order = { ...moved, refundedAt: now };
  const refund = { ...refundOf(order, kind, request, now), completedAt: now };
  await writeRefund(uow.pipeline, refund);
  await reverseSale(uow, order, kind);
  // These are independent of each other.
  const [documents, byBank, returnsDomain] = await Promise.all([
    issueCreditNote(uow, order),
    returnPayment(uow, order),
    relists ? relistSale(uow, order) : takeDomainBack(uow, order),
    reverseCommission(uow, order),
  ]);
  uow.mails.add(refundMail, {
    to: buyerOf(order),
    of: order,
    data: {
      orderId: order.id,
      refundId: refund.id,
      domain: order.domain,
      amount: refund.amount,
      fromUs: order.paymentModel !== 'merchant_of_record',
      byBank,
      returnsDomain,
      at: now.toISOString(),
    },
    documents,
  });
  uow.events.add(order, orderEvent('order.refunded', order));
  return { order, refund };
}

/** Undoes the sale of a domain that its buyer does not have. */
async function relistSale(uow: UnitOfWork, { listingId, saleNumber }: Order): Promise<false> {
  if (listingId !== null) await relist(uow, { id: listingId, saleNumber });
  return false;
}

/**
 * Returns the buyer's money, unless the partner collected it and returns it itself. Returns true if the bank has
 * already returned it after a dispute.
 */
async function returnPayment(uow: UnitOfWork, order: Order): Promise<boolean> {
  if (order.paymentModel === 'hosted_checkout' || order.checkoutSessionId !== null) {
    const payment = await requestPaymentRefund(uow, { orderId: order.id });
    // Only a dispute gives a payment the reference of its refund at once.
    return payment?.status === 'refunded' && payment.refundReference !== null;
  }
  if (order.paymentModel === 'brokerage') {
    // A deal that was not paid on our page was paid to staff by hand, and is repaid by hand.
    const { id: orderId, partnerId, environment, price: amount } = order;
    const owed = { orderId, partnerId, environment, amount, now: uow.realNow };
    await recordRepaymentOwed(uow, owed);
  }
  return false;
}

const REFUND_KIND: Record<RefundKind, Refund['kind']> = {
  refund: 'refund',
  cancel: 'cancellation',
  claw_back: 'clawback',
};

function refundOf(
  order: Order,
  kind: RefundKind,
  request: RefundRequest,
  completedAt: Date | null,
): Refund {
  return {
    ...request,
    kind: REFUND_KIND[kind],
    amount: order.price,
    completedAt,
  };
}

/** Posts the amounts that were fixed when the sale was recorded, with the opposite sign. */
async function reverseSale(uow: UnitOfWork, order: Order, kind: RefundKind): Promise<void> {
  await postEntry(uow, {
    kind: kind === 'claw_back' ? 'clawback' : 'refund',
    reference: order.id,
    partnerId: order.partnerId,
    environment: order.environment,
    orderId: order.id,
    postings: reversePostings(salePostings(order)),
  });
}

/**
 * Refunds an order at the request of the partner that collected its money, until the registrar has moved the domain.
 * @throws not_found, also for another partner's order; conflict (not_partner_collected, already_refunded,
 *   invalid_state)
 */
export async function requestRefund(
  runtime: { db: Database; clock: Clock },
  caller: Caller,
  request: { orderId: string; reason: RefundReason; note: string | null },
): Promise<Refund> {
  // An order's owner and payment model never change, so they may be read before the transaction.
  const { paymentModel } = await getOrder(runtime, caller, request.orderId);
  if (paymentModel !== 'merchant_of_record') {
    throw conflict(
      'not_partner_collected',
      'We collected the money for this order, so we refund it: the buyer gets it back from us. Ask the operator, with the order ID.',
    );
  }
  const { refund } = await runtime.db.transactFor(caller.partnerId, (uow) =>
    refundOrder(uow, { ...request, kind: 'refund', requestedBy: caller.keyId }),
  );
  return refund;
}
