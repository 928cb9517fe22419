import { addListing } from '../../shared/market/inventory/change-listings.ts';
import type { Listing, ListingInput } from '../../shared/market/inventory/listing.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import type { Runtime } from './runtime.ts';
import { isSentLater } from './statements.ts';

/** Creates a searchable listing as the inventory does: SANDBOX, 4,850.00 USD. */
export async function givenSearchableListing(
  runtime: Runtime,
  input: Partial<ListingInput> & { domain: string; environment?: Environment },
): Promise<Listing> {
  return addListing(runtime, { environment: 'SANDBOX', priceCents: 485_000, ...input });
}

/** Creates an open quote that holds the listing for `partnerId` until `expiresAt`. */
export async function givenHold(
  runtime: Runtime,
  partnerId: string,
  listing: Listing,
  expiresAt: Date,
): Promise<void> {
  const now = runtime.clock.now();
  await runtime.db.knex('quotes').insert({
    id: newId('quote', now),
    partner_id: partnerId,
    environment: listing.environment,
    listing_id: listing.id,
    price_cents: listing.price.amount,
    currency: listing.price.currency,
    created_at: now,
    expires_at: expiresAt,
  });
}

/** Returns how many statements `work` sends to Postgres. */
export async function countStatements(
  runtime: Runtime,
  work: () => Promise<unknown>,
): Promise<number> {
  await runtime.searchMisses.flush();
  let statements = 0;
  const count = (statement: { sql: string }) => {
    if (!isSentLater(statement)) statements += 1;
  };
  runtime.db.knex.on('query', count);
  try {
    await work();
  } finally {
    runtime.db.knex.removeListener('query', count);
  }
  return statements;
}
