import { sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, HOUR } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { readCountry } from '../../platform/countries.ts';
import { lockOrderById, moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { scheduleTransfer } from './order.jobs.ts';
import { countOrdersSince, readInReview } from './order.store.ts';
import type { Order, OrderMoveName } from './order.ts';

/** The facts that the review rules check. */
export type ReviewFacts = Pick<Order, 'partnerId' | 'environment' | 'price' | 'buyerCountry'>;

/**
 * The reasons why a person has to review a sale, whoever collects the price; empty when there are none. Reasons that
 * were approved for this very sale (`cleared`) do not count.
 */
export async function reviewReasons(
  uow: UnitOfWork,
  config: Config,
  { partnerId, environment, price, buyerCountry }: ReviewFacts,
  cleared: readonly string[] = [],
): Promise<string[]> {
  const reasons: string[] = [];
  if (config.reviewPriceCents > 0 && price.amount >= config.reviewPriceCents) reasons.push('price');
  if (isReviewedCountry(config, buyerCountry)) reasons.push('country');
  if (watchesVelocity(config, environment)) {
    const since = addMs(uow.now, -HOUR);
    const { orders } = await countOrdersSince.one(uow.sql, { partnerId, environment, since });
    if (orders >= config.reviewOrdersPerHour) reasons.push('velocity');
  }
  return reasons.filter((reason) => !cleared.includes(reason));
}

/** Normalizes the code: one that was stored before codes were checked may be `UK`. */
function isReviewedCountry({ reviewCountries }: Config, code: string | null): boolean {
  return code !== null && reviewCountries.includes(readCountry(code) ?? code);
}

/** The reason of an order whose payment its provider reviews. */
export const PAYMENT_REVIEW = 'payment_review';

/**
 * The first status of an order: held if a rule of `reasons` applies, the provider reviews the payment, or its sandbox
 * name asks for it.
 */
export function beginningOf(
  { environment, domain, paymentModel }: Pick<Order, 'environment' | 'domain' | 'paymentModel'>,
  reasons: readonly string[],
  inReview = false,
): Pick<Order, 'status' | 'reviewReasons'> {
  const reviewReasons = inReview ? [...reasons, PAYMENT_REVIEW] : [...reasons];
  if (sandboxOutcome(environment, domain) === 'hold') reviewReasons.push('sandbox_hold');
  const paid = paymentModel === 'merchant_of_record' ? 'EXTERNALLY_PAID' : 'PAID';
  return { status: reviewReasons.length > 0 ? 'MANUAL_REVIEW' : paid, reviewReasons };
}

/** The move that approves a review of this order: to the status of how it was paid. */
export function clearanceOf({ paymentModel }: Pick<Order, 'paymentModel'>): OrderMoveName {
  return paymentModel === 'merchant_of_record' ? 'clear' : 'clear_paid';
}

/** Velocity is watched in LIVE only: a partner may load-test its integration in the sandbox. */
function watchesVelocity(config: Config, environment: Environment): boolean {
  return environment === 'LIVE' && config.reviewOrdersPerHour > 0;
}

/** Up to `limit` orders of all partners that wait for an operator's decision, oldest first. */
export function listReviewQueue({ db }: { db: Database }, limit: number): Promise<Order[]> {
  return readInReview(db.knex, limit);
}

/**
 * Approves an order in manual review; it continues as if it had never been held.
 * @throws not_found, conflict (invalid_state)
 */
export async function approveOrder(
  uow: UnitOfWork,
  { config }: { config: Config },
  orderId: string,
): Promise<Order> {
  const held = await lockOrderById(uow, orderId);
  const { now } = uow;
  const order = await moveOrder(uow, orderId, clearanceOf(held), { now });
  scheduleTransfer(uow, config, order);
  uow.events.add(order, orderEvent('order.manual_review_cleared', order));
  return order;
}
