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
