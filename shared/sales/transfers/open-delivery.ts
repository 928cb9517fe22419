import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import { addTimelineEntry } from '../orders/move-order.ts';
import { transferPolicy } from '../orders/order.jobs.ts';
import { buyerOf, type Order } from '../orders/order.ts';
import { type DeliveryEventType, deliveryEvent } from './domain-delivery.events.ts';
import { expireDeliveryJob } from './domain-delivery.jobs.ts';
import { claimDomainMail } from './domain-delivery.mails.ts';
import {
  insertDelivery,
  selectDeliveryForUpdate,
  updateNextIssue,
} from './domain-delivery.store.ts';
import { type Delivery, isHandedOver } from './domain-delivery.ts';
import { moveDelivery } from './move-delivery.ts';
import { assertNoPendingRefund, lockOrderAndTransfer } from './move-transfer.ts';
import { confirmDeliveryJob } from './transfer.jobs.ts';
import type { Transfer } from './transfer.ts';

/** How long a buyer can claim a domain, or a partner can start to fetch it. After that, staff decide. */
const CLAIM_OPEN_MS = 90 * DAY;

/**
 * Starts the delivery once we have an order's domain: sends the buyer a claim link, or tells the partner that it may
 * ask for the authorization code. If we do not hand the domain over, the automatic policy confirms the delivery.
 * The order must be locked.
 */
export async function openDelivery(
  uow: UnitOfWork,
  config: Config,
  order: Order,
  transfer: Transfer,
): Promise<void> {
  const { now } = uow;
  if (!isHandedOver(config, order, transfer)) {
    if (transferPolicy(config, order.environment) === 'manual') return;
    const runAt = addMs(now, config.transferConfirmDelayMs);
    uow.jobs.add(confirmDeliveryJob, { orderId: order.id }, { runAt });
    return;
  }
  const begun = await insertDelivery.first(uow.sql, {
    orderId: order.id,
    method: transfer.deliveryMethod,
    now,
    expiresAt: addMs(now, CLAIM_OPEN_MS),
  });
  if (!begun) return;
  const event: DeliveryEventType =
    begun.method === 'account' ? 'order.delivery_ready' : 'transfer.released';
  await addTimelineEntry(uow, order.id, { at: now, event, note: null });
  uow.events.add(order, deliveryEvent(event, order, begun));
  announce(uow, order, begun);
}

/**
 * Sends the buyer a new claim link, even after the last one expired. The previous link stops working.
 * @throws not_found, conflict (invalid_state)
 */
export async function reopenClaim(uow: UnitOfWork, orderId: string): Promise<Order> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  assertNoPendingRefund(transfer);
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId: order.id });
  if (delivery?.method === 'partner_registrar') {
    throw conflict(
      'invalid_state',
      'The partner transfers this domain with an authorization code, which it can request at any time.',
    );
  }
  const expiresAt = addMs(uow.now, CLAIM_OPEN_MS);
  const reopened = await moveDelivery(uow, order, delivery, 'reopen', { expiresAt });
  const { issue } = await updateNextIssue.one(uow.sql, { orderId, now: uow.now });
  announce(uow, order, { ...reopened, issue });
  return order;
}

/** Schedules the end of a claim and mails the claim link, if there is one. */
function announce(uow: UnitOfWork, order: Order, { method, issue, expiresAt }: Delivery): void {
  if (!expiresAt) throw new Error(`the claim of ${order.id} has no end`);
  const { id: orderId, domain, buyerName } = order;
  uow.jobs.add(expireDeliveryJob, { orderId, issue }, { runAt: expiresAt });
  if (method !== 'account') return;
  uow.mails.add(claimDomainMail, {
    to: buyerOf(order),
    of: order,
    data: { orderId, issue, domain, buyerName, expiresAt: expiresAt.toISOString() },
  });
}
