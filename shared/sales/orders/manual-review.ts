import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { UnitOfWork } from '../../delivery/unit-of-work/unit-of-work.ts';
import type { SandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import { moveOrder } from './move-order.ts';
import { orderEvent } from './order.events.ts';
import { scheduleTransfer } from './order.jobs.ts';
import { readInReview } from './order.store.ts';
import type { Order } from './order.ts';

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
  if (facts.buyerCountry && config.reviewCountries.includes(facts.buyerCountry))
    reasons.push('country');
  if (
    watchesVelocity(config, facts.environment) &&
    facts.ordersInLastHour >= config.reviewOrdersPerHour
  ) {
    reasons.push('velocity');
  }
  return reasons;
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
  const { now } = uow;
  const order = await moveOrder(uow, orderId, 'clear', { now });
  scheduleTransfer(uow, config, order);
  uow.events.add(order, orderEvent('order.manual_review_cleared', order));
  return order;
}
