import { recordEvents } from '../../delivery/events/record-events.ts';
import { enqueue } from '../../delivery/jobs/enqueue.ts';
import type { SandboxOutcome } from '../../market/inventory/sandbox-names.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Money } from '../../platform/money.ts';
import type { Runtime } from '../../runtime.ts';
import { moveOrder } from './move-order.ts';
import { startTransferJobs } from './order.jobs.ts';
import { listInReview } from './order.store.ts';
import { type Order, orderEvent } from './order.ts';

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
  return listInReview(db.knex, limit);
}

/**
 * Ends a manual review well: the order goes on as if it had never been held.
 * @throws not_found, conflict (invalid_state)
 */
export async function approveOrder(
  tx: Tx,
  { config, clock }: Pick<Runtime, 'config' | 'clock'>,
  orderId: string,
): Promise<Order> {
  const now = clock.now();
  const order = await moveOrder(tx, orderId, 'clear', { now });
  await enqueue(tx, startTransferJobs(config, order, now), now);
  await recordEvents(tx, order, [orderEvent('order.manual_review_cleared', order)], now);
  return order;
}
