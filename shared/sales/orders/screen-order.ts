import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Party } from '../../people/screening/party.ts';
import { isHeld, recordHits, screenParties } from '../../people/screening/screen-parties.ts';
import { conflict } from '../../platform/errors.ts';
import { lockOrderById, moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { orderHeldMail } from './order.mails.ts';
import { updateReviewReason } from './order.store.ts';
import { type Buyer, ORDER_MOVES, type Order, type OrderStatus } from './order.ts';

/** The reason of an order whose buyer may be on a list. */
export const SCREENING_REVIEW = 'screening';

/** Who of a sale is screened; nobody when the buyer gave no name. */
export function partiesOf({ email, name, country }: Buyer): Party[] {
  if (name === null) return [];
  return [{ role: 'buyer', name, kind: null, country, birthDate: null, identity: email }];
}

function partiesOfOrder({ buyerEmail, buyerName, buyerCountry }: Order): Party[] {
  return partiesOf({ email: buyerEmail, name: buyerName, country: buyerCountry });
}

/** Keeps why a new order is held for screening. In the sandbox a reserved name holds, and there is no match. */
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

/** Statuses from which the domain may still be kept from the buyer. */
export const SCREENED_STATUSES = [
  'EXTERNALLY_PAID',
  'PAID',
  'MANUAL_REVIEW',
  'TRANSFER_IN_PROGRESS',
] as const satisfies readonly OrderStatus[];

/**
 * Compares parties of a LIVE order that is not delivered with the lists: its buyer, or those that became known since, such
 * as its registrant. An order with a new match goes to manual review; one whose transfer has begun goes on, and people
 * decide whether to stop it. Returns how many matches are new. @throws not_found
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

/** What became of a part of those who are compared again. */
export interface ScreenedPart {
  screened: number;
  /** New matches. */
  hits: number;
  /** The last id of the part; null at the end. */
  last: string | null;
}

/** Sends an order to manual review, unless its transfer has begun: then only the reason is noted. @throws not_found */
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
