import type { SandboxOutcome } from '../inventory/sandbox-names.ts';
import type { Config, Environment } from '../platform/config.ts';
import type { Money } from '../platform/money.ts';

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
