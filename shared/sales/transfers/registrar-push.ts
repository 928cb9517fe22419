import type { Registrant } from '../../domains/registrants/registrant.ts';
import type { PushState, Registrars } from '../../domains/registrar/registrar.ts';
import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import { addMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { Order } from '../orders/order.ts';
import { registerForBuyer, registrantOfOrder } from '../orders/order-registrant.ts';
import { openDelivery } from './deliver-domain.ts';
import { type LockedOrder, lockOrderAndTransfer, moveTransfer } from './move-transfer.ts';
import { type PushAttempt, pollTransferJob } from './transfer.jobs.ts';
import { selectOrderOf, selectTransfer } from './transfer.store.ts';
import { canMove, type Transfer, type TransferMoveName, transferOfReference } from './transfer.ts';

/** A push for the current attempt to continue. */
export interface OpenPush {
  transfer: Transfer;
  domain: string;
}

/**
 * Claims a push: the first run moves it from queued to pushing, and every later run finds it in progress.
 * Returns undefined if there is nothing left to do for this attempt.
 * @throws not_found
 */
export function beginPush(
  { db, registrars }: { db: Database; clock: Clock; registrars: Registrars },
  ticket: PushAttempt,
): Promise<OpenPush | undefined> {
  return db.transact(async (uow) => {
    const locked = await lockOrderAndTransfer(uow, ticket.orderId);
    return claimPush(uow, { registrars }, locked, ticket.attempt);
  });
}

/** Like {@link beginPush}, within the caller's transaction. */
export async function claimPush(
  uow: UnitOfWork,
  { registrars }: { registrars: Registrars },
  { order, transfer }: LockedOrder,
  attempt: number,
): Promise<OpenPush | undefined> {
  if (!transfer) return undefined;
  const { domain } = order;
  if (isCurrentPush(transfer, attempt)) return { transfer, domain };
  if (transfer.status !== 'queued' || transfer.attempts !== attempt - 1) return undefined;
  if (transfer.cancellation !== null) return undefined;
  const begun = await moveTransfer(uow, order, transfer, 'begin', {
    attempts: attempt,
    registrar: registrars(transfer.environment).name,
  });
  return { transfer: begun, domain };
}

/** Returns whether the registrar's answer about this attempt counts; it does not while a refund waits to cancel it. */
export function isCurrentPush(transfer: Transfer, attempt: number): boolean {
  return (
    transfer.attempts === attempt &&
    transfer.cancellation === null &&
    (transfer.status === 'pushing' ||
      transfer.status === 'pending_registry' ||
      transfer.status === 'action_required')
  );
}

const MOVE_OF: Record<PushState['status'], TransferMoveName> = {
  pending: 'await_registry',
  action_required: 'require_action',
  completed: 'await_confirmation',
  failed: 'fail',
};

const isOpen = ({ status }: PushState) => status === 'pending' || status === 'action_required';

/** Returns whether the push is still open, and in the state that was recorded last. */
export function isUnchanged(transfer: Transfer, state: PushState): boolean {
  return isOpen(state) && !canMove(MOVE_OF[state.status], transfer.status);
}

/**
 * What is left to do for an attempt: poll it (`open`), nothing (`ended`), or stop a push that is no longer wanted
 * (`unwanted`).
 */
export type PushProgress = 'open' | 'ended' | 'unwanted';

/**
 * Records the registrar's answer about an attempt once, even if it is given repeatedly. The first answer that is not
 * final starts the polling. A failed transfer leaves its order in progress, for operators to retry or refund.
 * @throws not_found
 */
export async function recordPushState(
  uow: UnitOfWork,
  deps: { config: Config; clock: Clock; secrets: SecretBox },
  { orderId, attempt }: PushAttempt,
  state: PushState,
): Promise<PushProgress> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  if (!transfer || transfer.status === 'cancelled') return 'unwanted';
  if (!isCurrentPush(transfer, attempt)) return 'ended';
  const open = isOpen(state);
  const move = MOVE_OF[state.status];
  if (!canMove(move, transfer.status)) return open ? 'open' : 'ended';

  const { now } = uow;
  const { method } = state;
  if (move === 'await_registry' && method === 'auth_code') {
    // Partners get the event about the code before the event that the registry accepted it.
    await moveTransfer(uow, order, transfer, 'use_auth_code', { method });
  }
  await moveTransfer(uow, order, transfer, move, {
    ...(method && { method }),
    reason: open || state.status === 'failed' ? (state.reason ?? null) : null,
  });
  if (open && transfer.status === 'pushing') {
    const runAt = addMs(now, deps.config.transferPollMs);
    uow.jobs.add(pollTransferJob, { orderId, attempt }, { runAt });
  }
  if (state.status === 'completed') {
    if (isRegisteredByUs(deps.config, order, transfer)) await registerForBuyer(uow, deps, order);
    await openDelivery(uow, deps.config, order, transfer);
  }
  return open ? 'open' : 'ended';
}

/**
 * Whether the end of a push means that the domain is registered for the buyer in our account. In the sandbox only
 * names that ask for a registrant count, so that clients without support for registrants never see one.
 */
function isRegisteredByUs(
  { registrarLive }: Pick<Config, 'registrarLive'>,
  { environment, domain }: Pick<Order, 'environment' | 'domain'>,
  { deliveryMethod }: Pick<Transfer, 'deliveryMethod'>,
): boolean {
  if (deliveryMethod !== 'account') return false;
  return environment === 'LIVE'
    ? registrarLive !== 'manual'
    : sandboxOutcome(environment, domain) === 'registrant';
}

/**
 * Records that the registrar has not answered about a push for too long. A person must look into it, then retry
 * or refund.
 * @throws not_found
 */
export async function recordUnreachable(
  uow: UnitOfWork,
  { orderId, attempt }: PushAttempt,
): Promise<void> {
  const { order, transfer } = await lockOrderAndTransfer(uow, orderId);
  if (!transfer || !isCurrentPush(transfer, attempt)) return;
  if (!canMove('require_action', transfer.status)) return;
  await moveTransfer(uow, order, transfer, 'require_action', { reason: 'registrar_unreachable' });
}

/** Returns an order's transfer, for operators and workers; undefined before it starts. */
export function readTransfer(
  { db }: { db: Database },
  orderId: string,
): Promise<Transfer | undefined> {
  return selectTransfer.first(db.knex, { orderId });
}

/** Returns the registrant for the domain of a push, by the push's reference; undefined if none is set yet. */
export async function registrantOfPush(
  runtime: { db: Database; secrets: SecretBox },
  clientReference: string,
): Promise<Registrant | undefined> {
  const transferId = transferOfReference(clientReference);
  const transfer = await selectOrderOf.first(runtime.db.knex, { transferId });
  return transfer && registrantOfOrder(runtime, transfer.orderId);
}
