import type { Database } from '../../messaging/unit-of-work/database.ts';
import {
  idOf,
  type ListPage,
  type Page,
  readPage,
  type TimePosition,
  timeOf,
} from '../../platform/page.ts';
import {
  type OfferFilter,
  type OpsOfferFilter,
  readOffer,
  readOffers,
  readOffersForOps,
  readOfferWithSteps,
} from './offer.store.ts';
import type { Offer, OfferOwner, OfferStep } from './offer.ts';
import { offerNotFound } from './offer-lifecycle.ts';

export type { OfferFilter };

/** Returns an offer of a partner. @throws not_found, also for another partner's offer */
export async function getOffer(
  { db }: { db: Database },
  owner: OfferOwner,
  id: string,
): Promise<Offer> {
  const offer = await readOffer(db.knex, owner, id);
  if (!offer) throw offerNotFound();
  return offer;
}

/** Lists a page of offers, newest first: of one partner, or of all if `owner` is null. */
export function listOffers(
  { db }: { db: Database },
  owner: OfferOwner | null,
  filter: OfferFilter,
): Promise<Page<Offer, TimePosition>> {
  const read = (limit: number) => readOffers(db.knex, owner, { ...filter, limit });
  return readPage(filter.limit, read, timeOf);
}

/** Lists the offers of all partners with one status, or those that wait for an answer if the status is null. */
export function listOffersForOps(
  { db }: { db: Database },
  filter: OpsOfferFilter,
  page: ListPage,
): Promise<Page<Offer>> {
  const read = (limit: number) => readOffersForOps(db.knex, filter, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

/** Returns an offer of any partner with its steps, oldest first. @throws not_found */
export async function getOfferById(
  { db }: { db: Database },
  id: string,
): Promise<{ offer: Offer; steps: OfferStep[] }> {
  const found = await readOfferWithSteps(db.knex, id);
  if (!found) throw offerNotFound();
  return found;
}
