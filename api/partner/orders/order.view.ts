import type { Order, TimelineEntry } from '../../../shared/orders/order.ts';
import type { TransferRow } from '../../../shared/orders/read-orders.ts';

/** An order as partners see it. */
export function orderView(order: Order) {
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    payment_model: order.paymentModel,
    sale_price_cents: order.salePriceCents,
    commission_cents: order.commissionCents,
    amount_owed_cents: order.amountOwedCents,
    currency: order.currency,
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
  };
}

/** The same with timeline and transfer. */
export function orderDetailView(detail: {
  order: Order;
  timeline: readonly TimelineEntry[];
  transfer: TransferRow | null;
}) {
  const { transfer } = detail;
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
  };
}
