import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, DAY } from '../../platform/clock.ts';
import { findListing } from '../inventory/find-listing.ts';
import { RESERVED_TLDS } from './known-registries.ts';
import {
  type QueryRegistry,
  type RegistryRecord,
  type RegistryResult,
  unregisteredRecord,
} from './lookup.ts';

/** Reserved for documentation (RFC 2606). */
const RESERVED_NAMES = new Set(['example.com', 'example.net', 'example.org']);

const YEAR = 365 * DAY;

/**
 * Creates development's own registry, for a demo without a network. It holds every name the marketplace ever listed and
 * the reserved names, except names starting with `unregistered-`. Under reserved TLDs, `unreachable-` names get no
 * answer. Any other name is passed to `next`. Its records say that they are made up.
 */
export function createDemoRegistry(
  deps: { db: Database; clock: Clock },
  next: QueryRegistry,
): QueryRegistry {
  return async (domain, signal) => {
    const [label = '', ...suffix] = domain.split('.');
    if (RESERVED_TLDS.has(suffix.join('.'))) {
      if (label.startsWith('unreachable-')) return { kind: 'unavailable', retryAfterSeconds: 5 };
      return found(
        label.startsWith('unregistered-')
          ? unregisteredRecord(domain, 'rdap')
          : madeUpRecord(domain, deps.clock.now()),
      );
    }
    const known = RESERVED_NAMES.has(domain) || (await isListed(deps, domain));
    return known ? found(madeUpRecord(domain, deps.clock.now())) : next(domain, signal);
  };
}

const found = (record: RegistryRecord): RegistryResult => ({
  kind: 'record',
  record,
  registrarUrl: null,
});

async function isListed(deps: { db: Database; clock: Clock }, domain: string): Promise<boolean> {
  try {
    const listings = await Promise.all(
      (['LIVE', 'SANDBOX'] as const).map((environment) =>
        findListing(deps, { environment, domain }),
      ),
    );
    return listings.some((listing) => listing !== undefined);
  } catch {
    return false;
  }
}

/** Returns the same record for a name on every call, except for the expiry, which stays in the future. */
function madeUpRecord(domain: string, now: Date): RegistryRecord {
  const dice = createHash('sha256').update(domain).digest();
  const created = new Date(Date.UTC(2005 + (dice.readUInt8(0) % 18), dice.readUInt8(1) % 12, 1));
  const years = Math.ceil((now.getTime() - created.getTime() + 30 * DAY) / YEAR);
  return {
    domain,
    registered: true,
    source: 'rdap',
    registrar: { name: 'Demo Registrar (made up)', ianaId: null },
    registrant: { name: null, organization: 'Demo Holdings (made up)', country: 'US' },
    dates: {
      created,
      updated: new Date(created.getTime() + (years - 1) * YEAR),
      expires: new Date(created.getTime() + years * YEAR),
    },
    nameservers: ['ns1.registrar.example', 'ns2.registrar.example'],
    status: ['client transfer prohibited'],
    dnssec: false,
  };
}
