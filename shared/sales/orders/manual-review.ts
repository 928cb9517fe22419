import type { Registrant } from '../../domains/registrants/registrant.ts';
import { partiesOfRegistrant } from '../../domains/registrants/registrant-parties.ts';
import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { isDisputed } from '../../money/payments/record-dispute.ts';
import { screenParties } from '../../people/screening/screen-parties.ts';
import { addMs, HOUR } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { readCountry } from '../../platform/countries.ts';
import { conflict } from '../../platform/errors.ts';
import { lockOrderById, moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { scheduleTransfer } from './order.jobs.ts';
import { readInReview, selectReviewFacts } from './order.store.ts';
import type { Buyer, Order, OrderMoveName } from './order.ts';
import { assertReleased, partiesOf, SCREENING_REVIEW } from './screen-order.ts';

/** The facts that the review rules check. */
export type ReviewFacts = Pick<Order, 'partnerId' | 'environment' | 'price'> & {
  buyer: Buyer;
  registrant?: Registrant | null;
};

/**
 * Returns the reasons for which staff must review a sale, whoever collects the price. Reasons that were approved for
 * this sale (`cleared`) do not count. Releases of screening matches are stored by party and list entry instead.
 */
export async function reviewReasons(
  uow: UnitOfWork,
  config: Config,
  { partnerId, environment, price, buyer, registrant }: ReviewFacts,
  cleared: readonly string[] = [],
): Promise<string[]> {
  const reasons: string[] = [];
  if (config.reviewPriceCents > 0 && price.amount >= config.reviewPriceCents) reasons.push('price');
  if (isReviewedCountry(config, buyer.country)) reasons.push('country');
  let isListed = false;
  // In the sandbox, partners may load-test their integration, and names are not screened.
  if (environment === 'LIVE') {
    const since = addMs(uow.now, -HOUR);
    const facts = await selectReviewFacts.one(uow.sql, { partnerId, environment, since });
    const most = config.reviewOrdersPerHour;
    if (most > 0 && facts.orders >= most) reasons.push('velocity');
    const parties = [...partiesOf(buyer), ...(registrant ? partiesOfRegistrant(registrant) : [])];
    isListed = facts.hasLists && (await screenParties(uow.sql, parties)).length > 0;
  }
  const open = reasons.filter((reason) => !cleared.includes(reason));
  return isListed ? [...open, SCREENING_REVIEW] : open;
}

/** Normalizes the code, because one that was stored before codes were checked may be `UK`. */
function isReviewedCountry({ reviewCountries }: Config, code: string | null): boolean {
  return code !== null && reviewCountries.includes(readCountry(code) ?? code);
}

/** The review reason for an order whose payment is in review at the provider. */
export const PAYMENT_REVIEW = 'payment_review';

/** The review reason for an order whose buyer disputed the payment before the transfer began. */
export const PAYMENT_DISPUTED = 'payment_disputed';

/**
 * Returns the first status of an order: held if there are `reasons`, the provider reviews the payment, or its sandbox
 * name asks for a hold.
 */
export function beginningOf(
  { environment, domain, paymentModel }: Pick<Order, 'environment' | 'domain' | 'paymentModel'>,
  reasons: readonly string[],
  inReview = false,
): Pick<Order, 'status' | 'reviewReasons'> {
  const reviewReasons = inReview ? [...reasons, PAYMENT_REVIEW] : [...reasons];
  const outcome = sandboxOutcome(environment, domain);
  if (outcome === 'hold') reviewReasons.push('sandbox_hold');
  if (outcome === 'screening') reviewReasons.push(SCREENING_REVIEW);
  const paid = paymentModel === 'merchant_of_record' ? 'EXTERNALLY_PAID' : 'PAID';
  return { status: reviewReasons.length > 0 ? 'MANUAL_REVIEW' : paid, reviewReasons };
}

/** Returns the move that approves this order's review, to the paid status of its payment model. */
export function clearanceOf({ paymentModel }: Pick<Order, 'paymentModel'>): OrderMoveName {
  return paymentModel === 'merchant_of_record' ? 'clear' : 'clear_paid';
}

/** Lists up to `limit` orders of all partners that wait for an operator's decision, oldest first. */
export function listReviewQueue({ db }: { db: Database }, limit: number): Promise<Order[]> {
  return readInReview(db.knex, limit);
}

/**
 * Approves an order in manual review. The order continues as if it had never been held.
 * @throws not_found, conflict (invalid_state: also while a screening match is not released or the payment is disputed)
 */
export async function approveOrder(
  uow: UnitOfWork,
  { config }: { config: Config },
  orderId: string,
): Promise<Order> {
  const held = await lockOrderById(uow, orderId);
  if (held.status !== 'MANUAL_REVIEW') {
    throw conflict('invalid_state', `The order is ${held.status}; it is not held for review.`);
  }
  await assertReleased(uow, held);
  await assertUndisputed(uow, held);
  const { now } = uow;
  const order = await moveOrder(uow, orderId, clearanceOf(held), { now });
  scheduleTransfer(uow, config, order);
  uow.events.add(order, orderEvent('order.manual_review_cleared', order));
  return order;
}

/** Checks that the buyer does not dispute the payment. @throws conflict (`invalid_state`) while a dispute is open */
async function assertUndisputed(uow: UnitOfWork, { id, reviewReasons }: Order): Promise<void> {
  if (!reviewReasons.includes(PAYMENT_DISPUTED)) return;
  if (!(await isDisputed(uow.sql, { orderId: id }))) return;
  throw conflict(
    'invalid_state',
    'The buyer disputes the payment at the bank. Wait until the dispute is closed, or refund the order.',
  );
}
