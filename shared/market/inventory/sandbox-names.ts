import type { Environment } from '../../platform/config/config.ts';
import { Money } from '../../platform/money.ts';

/** Label prefixes that give a sandbox domain a fixed outcome (docs/sandbox.md). */
export const RESERVED_LABELS = {
  'hold-': 'hold',
  'screening-': 'screening',
  'reprice-': 'reprice',
  'sold-': 'sold',
  'slow-transfer-': 'slow_transfer',
  'fail-transfer-': 'fail_transfer',
  'registrant-': 'registrant',
  'premium-': 'premium',
} as const;

/** The sandbox registry's fees for a premium name: per year and to restore it. */
export const SANDBOX_PREMIUM = {
  class: 'premium',
  year: new Money(50_000, 'USD'),
  restore: new Money(54_000, 'USD'),
} as const;

export type SandboxOutcome = (typeof RESERVED_LABELS)[keyof typeof RESERVED_LABELS];

/** Returns the fixed outcome of a reserved sandbox name; null for any other name and for all of LIVE. */
export function sandboxOutcome(environment: Environment, domain: string): SandboxOutcome | null {
  if (environment !== 'SANDBOX') return null;
  for (const [prefix, outcome] of Object.entries(RESERVED_LABELS)) {
    if (domain.startsWith(prefix)) return outcome;
  }
  return null;
}
