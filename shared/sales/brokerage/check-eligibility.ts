import { findListing } from '../../market/inventory/find-listing.ts';
import { isOnLegalHold } from '../../market/legal-holds/read-legal-holds.ts';
import { unsaleableSuffix } from '../../market/names/unsaleable-suffix.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { wasSoldSince } from '../orders/read-orders.ts';
import { selectOpen } from './brokerage-case.store.ts';
import type { SiteFinding, SiteProbes } from './site-probe.ts';

/** The reasons why a domain cannot be brokered. */
export const INELIGIBLE_REASONS = [
  'active_site',
  'open_case',
  'listed',
  'sold',
  'legal_hold',
  'unregistered',
  'unsupported_tld',
] as const;

export type IneligibleReason = (typeof INELIGIBLE_REASONS)[number];

export interface Eligibility {
  eligible: boolean;
  reasons: IneligibleReason[];
}

export type EligibilityScope = {
  db: Database;
  clock: Clock;
  config: Config;
  redis: Redis;
  siteProbes: SiteProbes;
};

/**
 * Checks whether a domain (A-labels) can be brokered, and returns the reasons against it. Checks the database first,
 * and probes the site only if nothing else speaks against it.
 *
 * This is the only read that makes outbound requests. The caller needs the answer, so it waits, but never longer than
 * the probe's budget. No transaction is open meanwhile, and the answer often comes from a short cache.
 */
export async function checkEligibility(
  runtime: EligibilityScope,
  environment: Environment,
  domain: string,
): Promise<Eligibility> {
  if (unsaleableSuffix(environment, domain)) return verdict(['unsupported_tld']);
  const { db, clock } = runtime;
  const [listing, open, isSold, isHeld] = await Promise.all([
    findListing(runtime, { environment, domain }),
    selectOpen.first(db.knex, { environment, domain }),
    wasSoldSince(db.knex, { environment, domain }, clock.now()),
    environment === 'LIVE' && isOnLegalHold(db.knex, domain),
  ]);
  const known: IneligibleReason[] = [];
  if (open) known.push('open_case');
  if (listing?.status === 'listed') known.push('listed');
  if (isSold) known.push('sold');
  if (isHeld) known.push('legal_hold');
  if (known.length > 0) return verdict(known);
  return verdict(REASONS[(await probeSiteCached(runtime, environment, domain)).state]);
}

/** The reason for each finding. A slow or failed probe proves nothing: staff check before they write to an owner. */
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

/** How long a finding is cached. A partner checks a domain and opens the case a moment later. */
const KNOWN_MS = 5 * MINUTE;
/** How long a missing answer is cached: shorter, so that the site is probed again soon. */
const UNKNOWN_MS = 15_000;

const STATES: readonly string[] = ['active', 'parked', 'no_site', 'unregistered', 'unknown'];

/**
 * Probes a site through a short cache in Redis, since a partner checks a domain and opens the case a moment later.
 * The sandbox fetches nothing, so it needs no cache.
 */
async function probeSiteCached(
  { redis, config, siteProbes }: { redis: Redis; config: Config; siteProbes: SiteProbes },
  environment: Environment,
  domain: string,
): Promise<SiteFinding> {
  if (environment === 'SANDBOX') return siteProbes.SANDBOX(domain);
  const key = `${config.redisPrefix}:site:${domain}`;
  // The cache only saves work; the answer is the same without it.
  const kept = await redis.get(key).catch(() => null);
  if (kept !== null && STATES.includes(kept)) return { state: kept as SiteFinding['state'] };
  const found = await siteProbes.LIVE(domain);
  const keepMs = found.state === 'unknown' ? UNKNOWN_MS : KNOWN_MS;
  await redis.set(key, found.state, 'PX', keepMs).catch(() => {});
  return found;
}
