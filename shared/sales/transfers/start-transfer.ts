import type { Registrars } from '../../domains/registrar/registrar.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { conflict } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { lockOrderById, moveOrder } from '../orders/move-order.ts';
import { orderEvent } from '../orders/order.events.ts';
import { buyerOf, ORDER_MOVES, type Order, type OrderStatus } from '../orders/order.ts';
import {
  assertNoPendingRefund,
  type LockedOrder,
  lockOrderAndTransfer,
  moveTransfer,
  tellMove,
} from './move-transfer.ts';
import { pushTransferJob } from './transfer.jobs.ts';
import { transferStartedMail } from './transfer.mails.ts';
import { insertTransfer, selectForUpdate } from './transfer.store.ts';
import { TRANSFER_MOVES } from './transfer.ts';

/**
 * Starts the transfer of a paid order: moves the order, creates its transfer and adds the job that pushes it.
 * @throws not_found, conflict (invalid_state, registrant_required)
 */
export async function startTransfer(uow: UnitOfWork, orderId: string): Promise<Order> {
  const { actionRequired } = await lockOrderById(uow, orderId);
  if (actionRequired !== null) throw registrantRequired();
  const { order } = await startLocked(uow, orderId);
  uow.jobs.add(pushTransferJob, { orderId, attempt: 1 });
  return order;
}

/** @param registrars given if the caller pushes the transfer itself, whose first push then begins at once */
async function startLocked(
  uow: UnitOfWork,
  orderId: string,
  registrars?: Registrars,
): Promise<LockedOrder> {
  const { now } = uow;
  const order = await moveOrder(uow, orderId, 'start_transfer', { now });
  const { begin } = TRANSFER_MOVES;
  const transfer = await insertTransfer.one(uow.sql, {
    id: newId('transfer', now),
    orderId,
    partnerId: order.partnerId,
    environment: order.environment,
    method: 'push',
    deliveryMethod: order.deliveryMethod,
    reason: null,
    createdAt: now,
    updatedAt: now,
    ...(registrars
      ? { status: begin.to, registrar: registrars(order.environment).name, attempts: 1 }
      : { status: 'queued', registrar: null, attempts: 0 }),
  });
  uow.mails.add(transferStartedMail, {
    to: buyerOf(order),
    of: order,
    data: { orderId, domain: order.domain, buyerName: order.buyerName, at: now.toISOString() },
  });
  uow.events.add(order, orderEvent('order.transfer_started', order));
  if (registrars) await tellMove(uow, order, transfer, begin.event);
  return { order, transfer };
}

/**
 * Like {@link startTransfer}, for the automatic policy, whose job pushes the transfer itself: its first push begins
 * with it. Skips an order that somebody has moved meanwhile or that needs action. Returns the order and its transfer,
 * locked. @throws not_found
 */
export async function startTransferIfPaid(
  uow: UnitOfWork,
  registrars: Registrars,
  orderId: string,
): Promise<LockedOrder> {
  const order = await lockOrderById(uow, orderId);
  const from: readonly OrderStatus[] = ORDER_MOVES.start_transfer.from;
  if (order.actionRequired === null && from.includes(order.status)) {
    return startLocked(uow, orderId, registrars);
  }
  return { order, transfer: await selectForUpdate.first(uow.sql, { orderId }) };
}

function registrantRequired() {
  return conflict('registrant_required', 'The order has no registrant. Set it first.');
}

/**
 * Pushes a failed or stuck transfer again, with a new reference at the registrar.
 * @throws not_found, conflict (invalid_state)
 */
export async function retryTransfer(uow: UnitOfWork, orderId: string): Promise<Order> {
  const { order, transfer: stuck } = await lockOrderAndTransfer(uow, orderId);
  assertNoPendingRefund(stuck);
  const transfer = await moveTransfer(uow, order, stuck, 'retry');
  uow.jobs.add(pushTransferJob, { orderId, attempt: transfer.attempts + 1 });
  return order;
}
