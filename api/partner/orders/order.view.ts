import type { Order, TimelineEntry } from '../../../shared/orders/order.ts';
import type { RefundSummary, TransferSummary } from '../../../shared/orders/read-orders.ts';

/** An order as partners see it. */
export function orderView(order: Order) {
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    payment_model: order.paymentModel,
    sale_price_cents: order.price.amount,
    commission_cents: order.commission.amount,
    amount_owed_cents: order.amountOwed.amount,
    currency: order.price.currency,
    buyer: { email: order.buyerEmail, name: order.buyerName, country: order.buyerCountry },
    quote_id: order.quoteId,
    external_payment_ref: order.externalPaymentRef,
    return_url: order.returnUrl,
    cancel_url: order.cancelUrl,
    environment: order.environment,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    transfer_completed_at: order.transferCompletedAt?.toISOString() ?? null,
    settled_at: order.settledAt?.toISOString() ?? null,
    settlement_id: order.settlementId,
    refunded_at: order.refundedAt?.toISOString() ?? null,
    checkout_session_id: order.checkoutSessionId,
  };
}

/** The same with timeline, transfer and refund. */
export function orderDetailView(detail: {
  order: Order;
  timeline: readonly TimelineEntry[];
  transfer: TransferSummary | null;
  refund: RefundSummary | null;
}) {
  const { transfer, refund } = detail;
  return {
    ...orderView(detail.order),
    timeline: detail.timeline.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
    transfer: transfer && {
      id: transfer.id,
      status: transfer.status,
      method: transfer.method,
      registrar: transfer.registrar,
      attempts: transfer.attempts,
      reason: transfer.reason,
      updated_at: transfer.updatedAt.toISOString(),
    },
    refund: refund && {
      id: refund.id,
      status: refund.status,
      reason: refund.reason,
      created_at: refund.createdAt.toISOString(),
      completed_at: refund.completedAt?.toISOString() ?? null,
    },
  };
}
