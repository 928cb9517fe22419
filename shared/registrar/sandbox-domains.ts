import { addMs, type Clock, DAY } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Registrar } from './registrar.ts';
import * as store from './sandbox-domain.store.ts';

const NAMESERVERS = ['ns1.registrar.example', 'ns2.registrar.example'];
const YEAR_DAYS = 365;
/** ICANN's limit for generic TLDs. */
const MAX_YEARS = 10;

/**
 * The part of the sandbox registrar that manages domains. It holds every domain that it is asked about: one
 * it has not heard of is a year from its expiry, locked, private, and not renewed by itself.
 */
export function createSandboxDomains({
  db: { knex },
  clock,
}: {
  db: Database;
  clock: Clock;
}): Pick<Registrar, 'inspect' | 'change'> {
  const inspect: Registrar['inspect'] = async (domains) => {
    const expiresAt = addMs(clock.now(), YEAR_DAYS * DAY);
    await store.insertDomains(knex, domains, { nameservers: NAMESERVERS, expiresAt });
    return store.findDomains(knex, domains);
  };

  return {
    inspect,
    async change(request) {
      const now = clock.now();
      const latestExpiry = new Date(now);
      latestExpiry.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS);
      const make = () => store.makeChange(knex, request, { now, latestExpiry });
      const known = await make();
      if (known) return { status: 'done', facts: known };
      const [facts] = await inspect([request.domain]);
      if (!facts) throw new Error('the sandbox registrar lost a domain');
      if (await store.changeWasMade(knex, request.clientReference)) {
        return { status: 'done', facts };
      }
      const made = await make();
      if (made) return { status: 'done', facts: made };
      return { status: 'refused', reason: `A domain runs for ${MAX_YEARS} years at most.` };
    },
  };
}
