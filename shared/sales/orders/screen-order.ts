import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Party } from '../../people/screening/party.ts';
import { isHeld, recordHits, screenParties } from '../../people/screening/screen-parties.ts';
import { conflict } from '../../platform/errors.ts';
import { lockOrderById, moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { orderHeldMail } from './order.mails.ts';
import { updateReviewReason } from './order.store.ts';
import { type Buyer, ORDER_MOVES, type Order, type OrderStatus } from './order.ts';

/** The review reason for an order with a party that may be on a sanctions list. */
export const SCREENING_REVIEW = 'screening';

/** Returns the parties of a sale to screen; none if the buyer gave no name. */
export function partiesOf({ email, name, country }: Buyer): Party[] {
  if (name === null) return [];
  return [{ role: 'buyer', name, kind: null, country, birthDate: null, identity: email }];
}

function partiesOfOrder({ buyerEmail, buyerName, buyerCountry }: Order): Party[] {
  return partiesOf({ email: buyerEmail, name: buyerName, country: buyerCountry });
}

/** Records the matches that hold a new order. A sandbox order is held by its reserved name and has no matches. */
export async function recordMatches(
  uow: UnitOfWork,
  order: Order,
  parties = partiesOfOrder(order),
): Promise<void> {
  if (order.environment !== 'LIVE' || !order.reviewReasons.includes(SCREENING_REVIEW)) return;
  const { id: orderId, partnerId } = order;
  await recordHits(uow, { orderId, partnerId }, await screenParties(uow.sql, parties));
}

/** @throws conflict (invalid_state) while a match of the order is not released */
export async function assertReleased(
  uow: UnitOfWork,
  { id: orderId, partnerId, environment, reviewReasons }: Order,
): Promise<void> {
  if (environment !== 'LIVE' || !reviewReasons.includes(SCREENING_REVIEW)) return;
  if (await isHeld(uow.sql, { orderId, partnerId })) throw notReleased();
}

export function notReleased() {
  return conflict(
    'invalid_state',
    'A name may be on a sanctions list. Two people have to release each match first (screening:release).',
  );
}

/** The statuses in which the domain can still be withheld from the buyer. */
export const SCREENED_STATUSES = [
  'EXTERNALLY_PAID',
  'PAID',
  'MANUAL_REVIEW',
  'TRANSFER_IN_PROGRESS',
] as const satisfies readonly OrderStatus[];

/**
 * Screens parties of an undelivered LIVE order against the lists: its buyer, or parties that became known later, such
 * as its registrant. An order with a new match goes to manual review. If its transfer has begun, the order continues
 * and staff decide whether to stop it. Returns the number of new matches. @throws not_found
 */
export async function screenOrder(
  uow: UnitOfWork,
  orderId: string,
  parties?: readonly Party[],
): Promise<number> {
  const order = await lockOrderById(uow, orderId);
  const { partnerId, environment, status } = order;
  const open: readonly OrderStatus[] = SCREENED_STATUSES;
  if (environment !== 'LIVE' || !open.includes(status)) return 0;
  const matches = await screenParties(uow.sql, parties ?? partiesOfOrder(order));
  const hits = await recordHits(uow, { orderId, partnerId }, matches);
  if (hits > 0) await holdOrder(uow, orderId, SCREENING_REVIEW);
  return hits;
}

/** The result of screening one batch again. */
export interface ScreenedPart {
  screened: number;
  /** New matches. */
  hits: number;
  /** The last id of the batch; null at the end. */
  last: string | null;
}

/** Sends an order to manual review; only records the reason if its transfer has begun. @throws not_found */
export async function holdOrder(uow: UnitOfWork, id: string, reason: string): Promise<void> {
  const { status } = await lockOrderById(uow, id);
  const { now } = uow;
  await updateReviewReason.send(uow.pipeline, { id, reason });
  const from: readonly OrderStatus[] = ORDER_MOVES.hold.from;
  if (!from.includes(status)) return;
  const order = await moveOrder(uow, id, 'hold', { now, note: 'Held for manual review' });
  const { domain, price } = order;
  uow.events.add(order, orderEvent('order.held', order));
  const data = { orderId: id, domain, price, reasons: [...order.reviewReasons] };
  uow.mails.add(orderHeldMail, { to: 'contacts', of: order, data });
}
