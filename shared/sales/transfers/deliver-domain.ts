import { forgetRegistrant } from '../../domains/domain-registrants/registered-for.ts';
import { forgetReturnedDomain } from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { assertNotOnLegalHold, isOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import { hastenJob } from '../../messaging/jobs/hasten-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import { addTimelineEntry, lockOrderById, moveOrder } from '../orders/move-order.ts';
import { orderEvent } from '../orders/order.events.ts';
import { transferPolicy } from '../orders/order.jobs.ts';
import { buyerOf, type Order } from '../orders/order.ts';
import { type DeliveryEventType, deliveryEvent } from './domain-delivery.events.ts';
import { type DeliveryIssue, expireDeliveryJob, watchDeliveryJob } from './domain-delivery.jobs.ts';
import { claimDomainMail } from './domain-delivery.mails.ts';
import {
  insertDelivery,
  selectAnyCodeOut,
  selectCodeOutOf,
  selectDelivery,
  selectDeliveryForUpdate,
  updateNextIssue,
} from './domain-delivery.store.ts';
import {
  canDeliver,
  type Delivery,
  type DeliveryMoveName,
  isCodeOut,
  isHandedOver,
} from './domain-delivery.ts';
import { moveDelivery } from './move-delivery.ts';
import { assertNoPendingRefund, lockOrderAndTransfer, moveTransfer } from './move-transfer.ts';
import { confirmDeliveryJob } from './transfer.jobs.ts';
import { domainDeliveredMail } from './transfer.mails.ts';
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

/** Returns the delivery of an order, for workers; undefined before it begins. */
export function readDelivery(
  { db }: { db: Database },
  orderId: string,
): Promise<Delivery | undefined> {
  return selectDelivery.first(db.knex, { orderId });
}

/** Records, once, that the other registrar has the domain, which completes the delivery. @throws not_found */
export function recordFetched(uow: UnitOfWork, ticket: DeliveryIssue): Promise<void> {
  return whileOut(uow, ticket, async ({ orderId, order }) => {
    await confirmDelivery(uow, orderId);
    if (order.environment === OWNERS_ENVIRONMENT) await forgetReturnedDomain(uow, order.domain);
    await forgetRegistrant(uow, order);
  });
}

/** Records, once, that a registrar requested the domain with the code and we approved it. @throws not_found */
export function recordApproved(
  uow: UnitOfWork,
  ticket: DeliveryIssue,
  requestedBy: string | null,
): Promise<void> {
  return moveWhileOut(uow, ticket, 'approve_transfer', requestedBy);
}

/** Records that the code has expired and was removed at the registry. @throws not_found */
export function recordCodeExpired(uow: UnitOfWork, ticket: DeliveryIssue): Promise<void> {
  return moveWhileOut(uow, ticket, 'expire', null);
}

/** Expires an unused claim. Staff decide what happens to the order. @throws not_found */
export async function expireClaim(uow: UnitOfWork, ticket: DeliveryIssue): Promise<void> {
  const order = await lockOrderById(uow, ticket.orderId);
  const delivery = await selectDeliveryForUpdate.first(uow.sql, ticket);
  if (delivery?.status !== 'awaiting_claim' || delivery.issue !== ticket.issue) return;
  await moveDelivery(uow, order, delivery, 'expire');
}

/** Returns whether the authorization code of any LIVE sale is out. */
export async function isAnyCodeOut({ db }: { db: Database }): Promise<boolean> {
  return (await selectAnyCodeOut.one(db.knex)).found;
}

/**
 * Makes a worker check a domain now if the code of its sale is out, because another registrar may have requested it.
 * Returns false if a worker may already be checking it.
 */
export async function lookAtDelivery(uow: UnitOfWork, domain: string): Promise<boolean> {
  const out = await selectCodeOutOf.first(uow.sql, { domain });
  const key = out && watchDeliveryJob.dedupeKey?.(out);
  return key === undefined || hastenJob(uow, key);
}

function moveWhileOut(
  uow: UnitOfWork,
  ticket: DeliveryIssue,
  name: DeliveryMoveName,
  requestedBy: string | null,
): Promise<void> {
  return whileOut(uow, ticket, async ({ delivery, order }) => {
    if (!canDeliver(delivery.status, name)) return;
    await moveDelivery(uow, order, delivery, name, {
      ...(name === 'approve_transfer' && delivery.expiresAt && { expiresAt: delivery.expiresAt }),
      ...(requestedBy !== null && { requestedBy }),
    });
  });
}

/** Does `work` if the code with this issue number is out and no refund is pending. */
async function whileOut(
  uow: UnitOfWork,
  { orderId, issue }: DeliveryIssue,
  work: (found: { orderId: string; order: Order; delivery: Delivery }) => Promise<void>,
): Promise<void> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  if (transfer?.cancellation) return;
  const delivery = await selectDeliveryForUpdate.first(uow.sql, { orderId });
  if (delivery?.issue === issue && isCodeOut(delivery)) await work({ orderId, order, delivery });
}

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
  const [order, delivery] = await Promise.all([
    moveOrder(uow, orderId, 'confirm_delivery', { now, transferCompletedAt: now }),
    selectDeliveryForUpdate.first(uow.sql, { orderId }),
  ]);
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
