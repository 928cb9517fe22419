import { assertNotOnLegalHold, isOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { moveOrder } from '../orders/move-order.ts';
import { orderEvent } from '../orders/order.events.ts';
import { buyerOf, type Order } from '../orders/order.ts';
import { selectDeliveryForUpdate } from './domain-delivery.store.ts';
import { moveDelivery } from './move-delivery.ts';
import { assertNoPendingRefund, lockOrderAndTransfer, moveTransfer } from './move-transfer.ts';
import { domainDeliveredMail } from './transfer.mails.ts';
import type { Transfer } from './transfer.ts';

/**
 * Completes a delivery and starts the settlement clock. A person confirms what they saw, so any transfer that
 * has not ended qualifies, whatever the registrar last reported.
 * @throws not_found, conflict (invalid_state, legal_hold)
 */
export async function confirmDelivery(uow: UnitOfWork, orderId: string): Promise<Order> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  return confirmLocked(uow, order, transfer);
}

async function confirmLocked(
  uow: UnitOfWork,
  inProgress: Order,
  transfer: Transfer | undefined,
): Promise<Order> {
  const { now } = uow;
  const { id: orderId } = inProgress;
  assertNoPendingRefund(transfer);
  await assertNotOnLegalHold(uow, inProgress.environment, inProgress.domain);
  // For an order in another state, moveOrder throws an error that says more than the transfer's would.
  if (inProgress.status === 'TRANSFER_IN_PROGRESS') {
    await moveTransfer(uow, inProgress, transfer, 'complete');
  }
  const order = await moveOrder(uow, orderId, 'confirm_delivery', {
    now,
    transferCompletedAt: now,
  });
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId });
  if (delivery) await moveDelivery(uow, order, delivery, 'deliver');
  uow.mails.add(domainDeliveredMail, {
    to: buyerOf(order),
    of: order,
    data: { orderId, domain: order.domain, buyerName: order.buyerName, at: now.toISOString() },
  });
  uow.events.add(order, orderEvent('order.transfer_completed', order));
  return order;
}

/**
 * Like {@link confirmDelivery}, for the automatic policy: confirms only what the registrar reported as done, and does
 * nothing if somebody already confirmed it. Returns `held` if the domain is on legal hold; ask again later.
 * @throws not_found
 */
export async function confirmDeliveryIfAwaited(
  uow: UnitOfWork,
  orderId: string,
): Promise<'over' | 'held'> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  const { environment, domain } = order;
  if (transfer?.cancellation) return 'over';
  if (transfer?.status !== 'awaiting_confirmation') return 'over';
  if (environment === 'LIVE' && (await isOnLegalHold(uow.sql, domain))) return 'held';
  await confirmLocked(uow, order, transfer);
  return 'over';
}

/**
 * Like {@link confirmDeliveryIfAwaited}, for an order that is about to be refunded: confirms only if the domain has
 * left us. A domain that still waits for its claim or authorization code has not.
 * @throws not_found
 */
export async function confirmDeliveryIfGone(
  uow: UnitOfWork,
  orderId: string,
): Promise<'over' | 'held'> {
  if (await selectDeliveryForUpdate.first(uow.sql, { orderId })) return 'over';
  return confirmDeliveryIfAwaited(uow, orderId);
}
