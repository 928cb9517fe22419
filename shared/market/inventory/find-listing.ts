import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { Environment } from '../../platform/config/config.ts';
import { readTerms, readWithHolds } from './listing.store.ts';
import type { ListingTerms, ListingWithHold } from './listing.ts';

interface ListingKey {
  environment: Environment;
  /** A-labels, see `parseDomain`. */
  domain: string;
}

/** Returns the terms of a domain in any status; undefined if it was never listed in this environment. */
export type ListingTermsFinder = (key: ListingKey) => Promise<ListingTerms | undefined>;

/**
 * Returns a domain's listing in any status and the partner that holds it now; undefined if it was never listed in this
 * environment. One SQL statement.
 */
export async function findListing(
  { db, clock }: { db: Database; clock: Clock },
  { environment, domain }: ListingKey,
): Promise<ListingWithHold | undefined> {
  const [found] = await db.read((sql) => readWithHolds(sql, environment, [domain], clock.now()));
  return found;
}

const MAX_TOGETHER = 100;
/** Enough that one slow statement does not block all others, and few enough that calls batch under load. */
const STATEMENTS_AT_ONCE = 2;

/**
 * Reads all domains requested in one tick with one statement, always after the request. This took signed availability
 * checks from 0.28 to 0.46 of the rate of a bare Express route.
 */
export function createListingTermsFinder({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): ListingTermsFinder {
  const finderIn = (environment: Environment) =>
    batchCalls<string, ListingTerms | undefined>(
      async (domains) => {
        const terms = await db.read((sql) => readTerms(sql, environment, domains, clock.now()));
        const byDomain = new Map(terms.map((each) => [each.domain, each]));
        return domains.map((domain) => byDomain.get(domain));
      },
      MAX_TOGETHER,
      STATEMENTS_AT_ONCE,
    );
  const finders = { SANDBOX: finderIn('SANDBOX'), LIVE: finderIn('LIVE') };
  return ({ environment, domain }) => finders[environment](domain);
}
