import { recordEvents } from '../events/record-events.ts';
import { relist } from '../inventory/listing-sale.ts';
import { reversal, salePostings } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { lockOrderById, moveOrder } from '../orders/move-order.ts';
import { orderEvent } from '../orders/order.events.ts';
import type { Order } from '../orders/order.ts';
import { ORDER_MOVES, type OrderStatus } from '../orders/order-states.ts';
import { requestPaymentRefund } from '../payments/request-refund.ts';
import type { Tx } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { reverseCommission } from '../referral/reverse-commission.ts';
import type { Runtime } from '../runtime.ts';
import { cancelTransfer } from '../transfers/cancel-transfer.ts';
import { insertRefund } from './refund.store.ts';
import { type Refund, type RefundKind, type RefundReason, refundKindOf } from './refund.ts';

export interface RefundRequest {
  orderId: string;
  /** `by_state`: a refund before delivery, a clawback after it. */
  kind: RefundKind | 'by_state';
  reason: RefundReason;
  note: string | null;
  requestedBy: string;
}

/**
 * Takes an order back: its move, the refund, the ledger's reversal, the end of its transfer, the domain back
 * on the market when it had not left, and the referral commission back when there was one.
 * @throws not_found, conflict (already_refunded, invalid_state)
 */
export async function refundOrder(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  request: RefundRequest,
): Promise<{ order: Order; refund: Refund }> {
  const now = clock.now();
  const before = await lockOrderById(tx, request.orderId);
  if (before.status === 'REFUNDED' || before.status === 'CANCELLED') {
    throw conflict('already_refunded', `The order is ${before.status} already.`);
  }
  const kind = request.kind === 'by_state' ? refundKindOf(before.status) : request.kind;
  const from: readonly OrderStatus[] = ORDER_MOVES[kind].from;
  // A move that is not allowed must fail as such, before the transfer has its say.
  const transfer = from.includes(before.status)
    ? await cancelTransfer(tx, before, `order_${kind === 'cancel' ? 'cancelled' : 'refunded'}`, now)
    : { left: true, events: [] };
  const order = await moveOrder(tx, before.id, kind, { now, note: request.reason });

  const refund: Refund = {
    id: newId('refund', now),
    orderId: order.id,
    partnerId: order.partnerId,
    environment: order.environment,
    kind: REFUND_KIND[kind],
    amountCents: order.salePriceCents,
    currency: order.currency,
    reason: request.reason,
    note: request.note,
    requestedBy: request.requestedBy,
    createdAt: now,
  };
  await insertRefund(tx, refund);
  await reverseSale(tx, order, kind, now);
  if (order.paymentModel === 'hosted_checkout') {
    await requestPaymentRefund(tx, { orderId: order.id }, now);
  }
  // What was delivered is never ours to sell again.
  if (kind !== 'claw_back' && !transfer.left && order.listingId !== null) {
    await relist(tx, order.listingId, now);
  }
  await reverseCommission(tx, order, now);
  await recordEvents(tx, order, [...transfer.events, orderEvent('order.refunded', order)], now);
  return { order, refund };
}

const REFUND_KIND: Record<RefundKind, Refund['kind']> = {
  refund: 'refund',
  cancel: 'cancellation',
  claw_back: 'clawback',
};

/** The sale's own amounts, as they were fixed when it was recorded, with the opposite sign. */
async function reverseSale(tx: Tx, order: Order, kind: RefundKind, now: Date): Promise<void> {
  await postEntry(
    tx,
    {
      kind: kind === 'claw_back' ? 'clawback' : 'refund',
      reference: order.id,
      partnerId: order.partnerId,
      environment: order.environment,
      orderId: order.id,
      postings: reversal(salePostings(order)),
    },
    now,
  );
}
