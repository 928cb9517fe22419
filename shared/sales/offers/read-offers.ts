import type { Database } from '../../delivery/unit-of-work/database.ts';
import { type Page, readPage, type TimePosition, timeOf } from '../../platform/page.ts';
import { type OfferFilter, readOffer, readOffers } from './offer.store.ts';
import type { Offer, OfferOwner } from './offer.ts';
import { offerNotFound } from './offer-lifecycle.ts';

export type { OfferFilter };

/** An offer of a partner. @throws not_found, also for another partner's */
export async function getOffer(
  { db }: { db: Database },
  owner: OfferOwner,
  id: string,
): Promise<Offer> {
  const offer = await readOffer(db.knex, owner, id);
  if (!offer) throw offerNotFound();
  return offer;
}

/** A page of offers, newest first: of a partner, or with null of all. */
export function listOffers(
  { db }: { db: Database },
  owner: OfferOwner | null,
  filter: OfferFilter,
): Promise<Page<Offer, TimePosition>> {
  const read = (limit: number) => readOffers(db.knex, owner, { ...filter, limit });
  return readPage(filter.limit, read, timeOf);
}
