import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import { type SandboxOutcome, sandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { readCountry } from '../../platform/countries.ts';
import type { Money } from '../../platform/money.ts';
import { lockOrderById, moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { scheduleTransfer } from './order.jobs.ts';
import { readInReview } from './order.store.ts';
import type { Order, OrderMoveName } from './order.ts';

/** What the review rules look at. */
export interface ReviewFacts {
  environment: Environment;
  price: Money;
  buyerCountry: string | null;
  /** Orders of this partner in the hour before this one. */
  ordersInLastHour: number;
  sandboxOutcome: SandboxOutcome | null;
}

/** Why an order is held for manual review; empty when it is not. */
export function reviewReasons(config: Config, facts: ReviewFacts): string[] {
  const reasons: string[] = [];
  if (facts.sandboxOutcome === 'hold') reasons.push('sandbox_hold');
  if (config.reviewPriceCents > 0 && facts.price.amount >= config.reviewPriceCents)
    reasons.push('price');
  if (isReviewedCountry(config, facts.buyerCountry)) reasons.push('country');
  if (
    watchesVelocity(config, facts.environment) &&
    facts.ordersInLastHour >= config.reviewOrdersPerHour
  ) {
    reasons.push('velocity');
  }
  return reasons;
}

/** By the country that a code means: one that was stored before codes were checked may be `UK`. */
function isReviewedCountry({ reviewCountries }: Config, code: string | null): boolean {
  return code !== null && reviewCountries.includes(readCountry(code) ?? code);
}

/** The reason of an order whose payment its provider reviews. */
export const PAYMENT_REVIEW = 'payment_review';

/** How an order begins whose price we took: held while the provider reviews the payment, or as its sandbox name asks. */
export function beginningOf(
  { environment, domain }: Pick<Order, 'environment' | 'domain'>,
  inReview: boolean,
): Pick<Order, 'status' | 'reviewReasons'> {
  const reviewReasons = inReview ? [PAYMENT_REVIEW] : [];
  if (sandboxOutcome(environment, domain) === 'hold') reviewReasons.push('sandbox_hold');
  return { status: reviewReasons.length > 0 ? 'MANUAL_REVIEW' : 'PAID', reviewReasons };
}

/** The move by which a review of this order ends well: to how it was paid. */
export function clearanceOf({ paymentModel }: Pick<Order, 'paymentModel'>): OrderMoveName {
  return paymentModel === 'merchant_of_record' ? 'clear' : 'clear_paid';
}

/** Velocity is watched in LIVE only: a partner may load-test its integration in the sandbox. */
export function watchesVelocity(config: Config, environment: Environment): boolean {
  return environment === 'LIVE' && config.reviewOrdersPerHour > 0;
}

/** Up to `limit` orders of all partners that wait for a decision of ops, oldest first. */
export function listReviewQueue({ db }: { db: Database }, limit: number): Promise<Order[]> {
  return readInReview(db.knex, limit);
}

/**
 * Ends a manual review well: the order goes on as if it had never been held.
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
