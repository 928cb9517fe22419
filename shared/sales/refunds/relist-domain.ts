import { lockListing, relist } from '../../market/inventory/change-listings.ts';
import { assertNoLegalHold, type Listing } from '../../market/inventory/listing.ts';
import { parseMarketDomain } from '../../market/names/domain-name.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { selectClaims } from './refund.store.ts';

/**
 * Relists a sold domain whose order was refunded or canceled.
 * @param input.returned whether the domain had left, and somebody has seen it back in our account
 * @throws validation_error; not_found; conflict: `already_exists` if it is on the market, `invalid_state` if it is
 *   delisted, `legal_hold`, `domain_sold` if it has a live order, or left with an order and is not marked returned
 */
export async function relistDomain(
  { db }: { db: Database; clock: Clock },
  input: { environment: Environment; domain: string; returned: boolean },
): Promise<Listing> {
  const { environment } = input;
  const { ascii } = parseMarketDomain(input.domain);
  return db.transact(async (uow) => {
    const listing = await lockListing(uow, environment, ascii);
    if (!listing) throw fail('not_found', { message: `${ascii} was never listed.` });
    assertNoLegalHold(listing);
    if (listing.status === 'listed') {
      throw conflict('already_exists', `${ascii} is already on the market.`);
    }
    if (listing.status === 'delisted') {
      throw conflict('invalid_state', `${ascii} is delisted. Add it again with its terms.`);
    }
    const { saleNumber } = listing;
    const claims = await selectClaims.all(uow.sql, { environment, domain: ascii, saleNumber });
    for (const { orderId, status, isLive } of claims) {
      if (isLive) {
        throw conflict('domain_sold', `${ascii} is sold: the order ${orderId} is ${status}.`);
      }
      if (!input.returned) {
        throw conflict(
          'domain_sold',
          `${ascii} left our account with the order ${orderId}, which is ${status}. Relist it as returned once you have seen it back.`,
        );
      }
    }
    await relist(uow, listing);
    return (await lockListing(uow, environment, ascii)) ?? listing;
  });
}
