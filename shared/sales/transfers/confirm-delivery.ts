import { recordEvents } from '../../delivery/events/record-events.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Runtime } from '../../runtime.ts';
import { lockOrderById, moveOrder } from '../orders/move-order.ts';
import { type Order, orderEvent } from '../orders/order.ts';
import { assertNoPendingRefund, moveTransfer } from './move-transfer.ts';
import { lockTransfer } from './transfer.store.ts';

/**
 * Ends a delivery well; the settlement clock starts. A person confirms what they saw, so any transfer that
 * is not over will do, wherever the registrar's own word stands.
 * @throws not_found, conflict (invalid_state)
 */
export async function confirmDelivery(
  tx: Tx,
  { clock }: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = clock.now();
  const inProgress = await lockOrderById(tx, orderId);
  const transfer = await lockTransfer(tx, orderId);
  assertNoPendingRefund(transfer);
  // An order in another state gets the order's own refusal, which says more than its transfer's.
  const events =
    inProgress.status === 'TRANSFER_IN_PROGRESS'
      ? (await moveTransfer(tx, inProgress, transfer, 'complete', { now })).events
      : [];
  const order = await moveOrder(tx, orderId, 'confirm_delivery', {
    now,
    transferCompletedAt: now,
  });
  await recordEvents(tx, order, [...events, orderEvent('order.transfer_completed', order)], now);
  return order;
}

/**
 * The same for the automatic policy: only what the registrar called done, and nothing when somebody was
 * faster.
 * @throws not_found
 */
export async function confirmDeliveryIfAwaited(
  tx: Tx,
  runtime: Pick<Runtime, 'clock'>,
  orderId: string,
): Promise<void> {
  await lockOrderById(tx, orderId);
  const transfer = await lockTransfer(tx, orderId);
  if (transfer?.cancellation) return;
  if (transfer?.status === 'awaiting_confirmation') await confirmDelivery(tx, runtime, orderId);
}
