import type { Clock } from '../platform/clock.ts';
import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { selectWithHold } from './listing.store.ts';
import type { ListingWithHold } from './listing.ts';

/**
 * The listing of a domain (A-labels, see `parseDomain`) in any status, with the partner that holds it now;
 * undefined when it was never listed in this environment. One SQL statement.
 */
export async function findListing(
  { db, clock }: { db: Database; clock: Clock },
  { environment, domain }: { environment: Environment; domain: string },
): Promise<ListingWithHold | undefined> {
  return db.read((sql) => selectWithHold(sql, environment, domain, clock.now()));
}
