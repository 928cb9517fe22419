import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { conflict } from '../../platform/errors.ts';
import { addTimelineEntry } from '../orders/move-order.ts';
import type { Order } from '../orders/order.ts';
import { deliveryEvent } from './domain-delivery.events.ts';
import { updateDelivery } from './domain-delivery.store.ts';
import { DELIVERY_MOVES, type Delivery, type DeliveryMoveName } from './domain-delivery.ts';

interface DeliveryMoveFields {
  /** When the claim link or code expires; left out if there is none. */
  expiresAt?: Date;
  codeHash?: Buffer;
  requestedBy?: string;
}

/**
 * Makes one move of a delivery, and adds its timeline entry and event. The order must be locked.
 * @throws conflict (invalid_state) naming the delivery's status
 */
export async function moveDelivery(
  uow: UnitOfWork,
  order: Order,
  delivery: Delivery | undefined,
  name: DeliveryMoveName,
  { expiresAt, codeHash, requestedBy }: DeliveryMoveFields = {},
): Promise<Delivery> {
  const { from, to, event } = DELIVERY_MOVES[name];
  const moved =
    delivery &&
    (await updateDelivery.first(uow.sql, {
      orderId: order.id,
      from,
      to,
      now: uow.now,
      expiresAt: expiresAt ?? null,
      codeHash: codeHash ?? null,
      requestedBy: requestedBy ?? null,
    }));
  if (!moved) {
    throw conflict(
      'invalid_state',
      delivery
        ? `The order's delivery is ${delivery.status} and cannot become ${to}; that takes ${from.join(' or ')}.`
        : `The order is ${order.status} and its domain is not free to go yet.`,
    );
  }
  if (event === null) return moved;
  await addTimelineEntry(uow, order.id, { at: uow.now, event, note: moved.requestedBy });
  uow.events.add(order, deliveryEvent(event, order, moved));
  return moved;
}
