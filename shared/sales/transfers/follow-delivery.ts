import { forgetRegistrant } from '../../domains/domain-registrants/registered-for.ts';
import { hastenJob } from '../../messaging/jobs/hasten-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { confirmDelivery } from './confirm-delivery.ts';
import { type DeliveryIssue, watchDeliveryJob } from './domain-delivery.jobs.ts';
import {
  selectAnyCodeOut,
  selectCodeOutOf,
  selectDelivery,
  selectDeliveryForUpdate,
} from './domain-delivery.store.ts';
import { canDeliver, type Delivery, type DeliveryMoveName, isCodeOut } from './domain-delivery.ts';
import { moveDelivery } from './move-delivery.ts';
import { lockOrderAndTransfer } from './move-transfer.ts';

/** The delivery of an order, for workers; undefined before it begins. */
export function readDelivery(
  { db }: { db: Database },
  orderId: string,
): Promise<Delivery | undefined> {
  return selectDelivery.first(db.knex, { orderId });
}

/** The other registrar has the domain: the order is delivered, once. @throws not_found */
export function recordFetched(uow: UnitOfWork, ticket: DeliveryIssue): Promise<void> {
  return whileOut(uow, ticket, async ({ orderId, order }) => {
    await confirmDelivery(uow, orderId);
    await forgetRegistrant(uow, order);
  });
}

/** A registrar asked for the domain with the code, and we approved it; said once. @throws not_found */
export function recordApproved(
  uow: UnitOfWork,
  ticket: DeliveryIssue,
  requestedBy: string | null,
): Promise<void> {
  return moveWhileOut(uow, ticket, 'approve_transfer', requestedBy);
}

/** The code has ended and is taken back at the registry. @throws not_found */
export function recordCodeExpired(uow: UnitOfWork, ticket: DeliveryIssue): Promise<void> {
  return moveWhileOut(uow, ticket, 'expire', null);
}

/** A claim that nobody used ends; staff decide what becomes of the order. @throws not_found */
export async function expireClaim(uow: UnitOfWork, ticket: DeliveryIssue): Promise<void> {
  const order = await lockOrderById(uow, ticket.orderId);
  const delivery = await selectDeliveryForUpdate.first(uow.sql, ticket);
  if (delivery?.status !== 'awaiting_claim' || delivery.issue !== ticket.issue) return;
  await moveDelivery(uow, order, delivery, 'expire');
}

/** Whether the authorization code of any LIVE sale is out. */
export async function isAnyCodeOut({ db }: { db: Database }): Promise<boolean> {
  return (await selectAnyCodeOut.one(db.knex)).found;
}

/**
 * Has a worker look now at a domain that another registrar may ask for, if the code of its sale is out. False when one may
 * be looking already.
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

/** Does `work` while the code of this number is out; not while a refund waits for the registrar. */
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
