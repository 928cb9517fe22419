import type { TransferMethod } from '../../domains/registrar/registrar.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { conflict } from '../../platform/errors.ts';
import { addTimelineEntry, lockOrderById } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { transferEvent } from './transfer.events.ts';
import { transferActionMail } from './transfer.mails.ts';
import { selectForUpdate, updateStatus } from './transfer.store.ts';
import {
  TRANSFER_MOVES,
  type Transfer,
  type TransferMove,
  type TransferMoveName,
} from './transfer.ts';

/** Fields that a move may set besides the status. The reason is always set, the others only if given. */
interface TransferMoveFields {
  reason?: string | null;
  registrar?: string;
  attempts?: number;
  method?: TransferMethod;
}

/**
 * Makes one move of the transfer's state table, and adds it to the order's timeline and to the partner's events.
 * The order must be locked, which keeps the transfer and its order in step.
 * @throws conflict (invalid_state)
 */
export async function moveTransfer(
  uow: UnitOfWork,
  order: Order,
  transfer: Transfer | undefined,
  name: TransferMoveName,
  at: TransferMoveFields = {},
): Promise<Transfer> {
  const move: TransferMove = TRANSFER_MOVES[name];
  const reason = at.reason ?? null;
  const moved =
    transfer &&
    (await updateStatus.first(uow.sql, {
      id: transfer.id,
      from: move.from,
      to: move.to,
      now: uow.now,
      reason,
      registrar: at.registrar ?? null,
      attempts: at.attempts ?? null,
      method: at.method ?? null,
    }));
  if (!moved) {
    throw conflict(
      'invalid_state',
      transfer
        ? `The order's transfer is ${transfer.status} and cannot become ${move.to}; that takes ${move.from.join(' or ')}.`
        : `The order is ${order.status} and has no transfer that could become ${move.to}.`,
    );
  }
  await tellMove(uow, order, moved, move.event);
  return moved;
}

/** Adds a move that was made to the order's timeline and to the partner's events. */
export async function tellMove(
  uow: UnitOfWork,
  order: Order,
  moved: Transfer,
  event: TransferMove['event'],
): Promise<void> {
  if (event === null) return;
  const { reason } = moved;
  await addTimelineEntry(uow, order.id, { at: uow.now, event, note: reason });
  if (moved.status === 'action_required') {
    uow.mails.add(transferActionMail, {
      to: 'contacts',
      of: order,
      data: {
        orderId: order.id,
        transferId: moved.id,
        domain: order.domain,
        attempt: moved.attempts,
        reason,
      },
    });
  }
  uow.events.add(order, transferEvent(event, order, moved));
}

/** A locked order, with its transfer once that has started. */
export interface LockedOrder {
  order: Order;
  transfer: Transfer | undefined;
}

/** Locks an order and its transfer in one round trip, and sets the unit's clock to the partner's. @throws not_found */
export async function lockOrderAndTransfer(uow: UnitOfWork, orderId: string): Promise<LockedOrder> {
  const [order, transfer] = await Promise.all([
    lockOrderById(uow, orderId),
    selectForUpdate.first(uow.sql, { orderId }),
  ]);
  return { order, transfer };
}

/** @throws conflict (invalid_state) while a refund is waiting for the registrar or for staff */
export function assertNoPendingRefund(transfer: Transfer | undefined): void {
  if (!transfer?.cancellation) return;
  throw conflict(
    'invalid_state',
    transfer.cancellation === 'requested'
      ? 'A refund of this order is waiting for the registrar to stop the push. Try again when it has answered.'
      : 'A refund of this order waits for a decision. Approve it or decline it first.',
  );
}
