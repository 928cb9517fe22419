import { findListing } from '../inventory/find-listing.ts';
import type { Environment } from '../platform/config.ts';
import type { Runtime } from '../runtime.ts';
import { hasOpenCase } from './case.store.ts';
import { probeSiteCached } from './probe-once.ts';
import type { SiteFinding } from './site-probe.ts';
import { isUnsupportedSuffix } from './unsupported-suffixes.ts';

export type IneligibleReason =
  | 'active_site'
  | 'open_case'
  | 'listed'
  | 'unregistered'
  | 'unsupported_tld';

export interface Eligibility {
  eligible: boolean;
  reasons: IneligibleReason[];
}

export type EligibilityScope = Pick<Runtime, 'db' | 'clock' | 'config' | 'redis' | 'siteProbes'>;

/**
 * Whether a domain (A-labels) can be brokered, and all that speaks against it. What the database knows is
 * asked first; the site is looked at only when nothing else is in the way.
 *
 * This is the one read that goes outside. It is a look-up whose whole point is the answer, so it waits for
 * it, but never longer than the probe's budget, with no transaction open, and mostly from a short cache.
 */
export async function checkEligibility(
  runtime: EligibilityScope,
  environment: Environment,
  domain: string,
): Promise<Eligibility> {
  if (isUnsupportedSuffix(environment, domain)) return verdict(['unsupported_tld']);
  const [listing, open] = await Promise.all([
    findListing(runtime, { environment, domain }),
    hasOpenCase(runtime.db.knex, environment, domain),
  ]);
  const known: IneligibleReason[] = [];
  if (open) known.push('open_case');
  if (listing?.status === 'listed') known.push('listed');
  if (known.length > 0) return verdict(known);
  return verdict(REASONS[(await probeSiteCached(runtime, environment, domain)).state]);
}

/** A probe that was too slow or failed is no proof of a site: people look before they write to an owner. */
const REASONS: Record<SiteFinding['state'], IneligibleReason[]> = {
  active: ['active_site'],
  unregistered: ['unregistered'],
  parked: [],
  no_site: [],
  unknown: [],
};

function verdict(reasons: readonly IneligibleReason[]): Eligibility {
  return { eligible: reasons.length === 0, reasons: [...reasons] };
}
