import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { conflict, fail } from '../../platform/errors.ts';
import {
  changeStatus,
  insertTimelineEntry,
  lockOrder,
  type MoveFields,
  readOrder,
  updateReferralLink,
} from './order.store.ts';
import { ORDER_MOVES, type Order, type OrderMoveName } from './order.ts';

/**
 * Makes one move of the state table and writes its timeline entry. The caller adds the events.
 * @throws not_found, conflict (invalid_state) naming the order's status and the status it cannot move to
 */
export async function moveOrder(
  uow: UnitOfWork,
  orderId: string,
  name: OrderMoveName,
  at: { now: Date; note?: string | null } & MoveFields,
): Promise<Order> {
  const move = ORDER_MOVES[name];
  const moved = await changeStatus(uow.sql, orderId, move, { ...at, note: at.note ?? null });
  if (moved) return moved;
  const order = await readOrder(uow.sql, orderId);
  if (!order) throw orderNotFound();
  throw conflict(
    'invalid_state',
    `The order is ${order.status} and cannot become ${move.to}; that takes ${move.from.join(' or ')}.`,
  );
}

/** Adds an entry to the order's timeline for a step that does not change the order's status. */
export async function addTimelineEntry(
  uow: UnitOfWork,
  orderId: string,
  entry: { at: Date; event: string; note: string | null },
): Promise<void> {
  await insertTimelineEntry.send(uow.pipeline, { ...entry, orderId });
}

/** Locks an order of any partner, and sets the unit's clock to the partner's. @throws not_found */
export async function lockOrderById(uow: UnitOfWork, orderId: string): Promise<Order> {
  const locked = await lockOrder(uow.sql, orderId);
  if (!locked) throw orderNotFound();
  const { order, aheadMs } = locked;
  await uow.enterTimeOf(order, aheadMs);
  return order;
}

export function orderNotFound() {
  return fail('not_found', { message: 'No order has this ID.' });
}

/** Records the referral link that an order came from. */
export async function attachReferralLink(
  uow: UnitOfWork,
  orderId: string,
  linkId: string,
): Promise<void> {
  await updateReferralLink.send(uow.pipeline, { id: orderId, linkId });
}
