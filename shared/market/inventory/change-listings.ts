import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import type { Cents } from '../../platform/money.ts';
import { assertNotOnLegalHold } from '../legal-holds/read-legal-holds.ts';
import { parseDomain, parseMarketDomain } from '../names/domain-name.ts';
import { indexListings, removeFromIndex } from '../search/search-index.ts';
import { listEmojiTlds } from '../tlds/tld-catalogue.ts';
import {
  changePrice,
  endLegalHold,
  insertSold,
  lockMany,
  lockOne,
  reopen,
  type SaleKey,
  selectListedWithin,
  undoSale,
  updateDelisted,
  updateGranted,
  updateOnLegalHold,
  updatePrices,
  updateSold,
  updateWithdrawn,
  writeListings,
} from './listing.store.ts';
import {
  assertNoLegalHold,
  draftListing,
  type Listing,
  type ListingDraft,
  type ListingInput,
  requirePrice,
} from './listing.ts';

/**
 * Lists a domain on the market of an environment; a delisted domain returns with the new terms.
 * @throws validation_error; conflict (already_exists, domain_sold, legal_hold)
 */
export async function addListing(
  { db, clock }: { db: Database; clock: Clock },
  input: ListingInput & { environment: Environment },
): Promise<Listing> {
  const draft = draftListing(input.environment, input, await listEmojiTlds({ db }));
  const { ascii } = draft.name;
  return db.transact(async (uow) => {
    await assertNotOnLegalHold(uow, input.environment, ascii);
    const existing = await lockOne(uow.sql, input.environment, ascii);
    const alreadyListed = () =>
      conflict('already_exists', `${ascii} is listed already. Change its price instead.`);
    if (existing?.status === 'listed') throw alreadyListed();
    const [upserted] = await writeListings(uow.sql, input.environment, [draft], clock.now());
    if (!upserted) throw isSold(ascii);
    const { inserted, ...listing } = upserted;
    // There was no row to lock, and another transaction has inserted it since.
    if (!existing && !inserted) throw alreadyListed();
    await indexListings(uow, input.environment, [listing]);
    return listing;
  });
}

/**
 * Takes a domain off the market; idempotent. Open quotes and pending payments are honored until they expire.
 * @throws validation_error; not_found; conflict (domain_sold, legal_hold)
 */
export async function delistListing(
  { db }: { db: Database; clock: Clock },
  input: { environment: Environment; domain: string },
): Promise<Listing> {
  const { ascii } = parseMarketDomain(input.domain);
  return db.transact(async (uow) => {
    const listing = await lockOne(uow.sql, input.environment, ascii);
    if (!listing) throw fail('not_found', { message: `${ascii} is not listed.` });
    assertNoLegalHold(listing);
    if (listing.status === 'sold') throw isSold(ascii);
    if (listing.status === 'delisted') return listing;
    const { realNow: now } = uow;
    await updateDelisted.send(uow.pipeline, { ids: [listing.id], now });
    await removeFromIndex(uow, input.environment, [listing.id]);
    return { ...listing, status: 'delisted', updatedAt: now };
  });
}

/**
 * Changes the buy-now price of a listed domain and lowers a floor above it to match. Open quotes keep their price.
 * @throws validation_error; not_found; conflict (domain_sold, invalid_state, legal_hold) when it is sold, delisted or on
 *   legal hold
 */
export async function repriceListing(
  { db, clock }: { db: Database; clock: Clock },
  input: { environment: Environment; domain: string; priceCents: Cents },
): Promise<Listing> {
  const { ascii } = parseMarketDomain(input.domain);
  requirePrice('/price_cents', input.priceCents);
  return db.transact(async (uow) => {
    const listing = await lockOne(uow.sql, input.environment, ascii);
    if (!listing) throw fail('not_found', { message: `${ascii} is not listed.` });
    assertNoLegalHold(listing);
    if (listing.status === 'sold') throw isSold(ascii);
    if (listing.status !== 'listed') {
      throw conflict(
        'invalid_state',
        `${ascii} is off the market: only a listed domain has a price.`,
      );
    }
    const repriced = await changePrice(uow.sql, listing.id, input.priceCents, clock.now());
    return repriced ?? listing;
  });
}

function isSold(domain: string) {
  return conflict('domain_sold', `${domain} is sold. Relist it after its order is refunded.`);
}

/** Locks the listings of these domains (A-labels), in any status, until the transaction ends. Returns them by name. */
export async function lockListings(
  uow: UnitOfWork,
  environment: Environment,
  domains: readonly string[],
): Promise<Map<string, Listing>> {
  const listings = await lockMany(uow.sql, environment, domains);
  return new Map(listings.map((listing) => [listing.domain, listing]));
}

/** Lists domains with these terms. Returns the domains that are sold or on legal hold, which stay unchanged. */
export async function putOnMarket(
  uow: UnitOfWork,
  environment: Environment,
  drafts: readonly ListingDraft[],
): Promise<Set<string>> {
  const listed = await writeListings(uow.sql, environment, drafts, uow.realNow);
  await indexListings(uow, environment, listed);
  const written = new Set(listed.map(({ domain }) => domain));
  return new Set(drafts.map(({ name }) => name.ascii).filter((domain) => !written.has(domain)));
}

/** Takes listed domains, already locked by the caller, off the market and out of search. */
export async function delistDomains(
  uow: UnitOfWork,
  environment: Environment,
  listingIds: number[],
): Promise<void> {
  await updateDelisted.send(uow.pipeline, { ids: listingIds, now: uow.realNow });
  await removeFromIndex(uow, environment, listingIds);
}

/** Delists up to `limit` domains that were listed within a period. Returns the number delisted. */
export async function delistListedWithin(
  uow: UnitOfWork,
  environment: Environment,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<number> {
  const found = await selectListedWithin.all(uow.sql, { environment, from, to, limit });
  const ids = found.map(({ id }) => id);
  if (ids.length > 0) await delistDomains(uow, environment, ids);
  return ids.length;
}

/** Sets the buy-now price of listed domains and lowers a floor above it to match. Open quotes keep their price. */
export async function repriceDomains(
  uow: UnitOfWork,
  listingIds: readonly number[],
  priceCents: Cents,
): Promise<void> {
  await updatePrices.send(uow.pipeline, { ids: listingIds, priceCents, now: uow.realNow });
}

/** Locks the listing of a domain (A-labels) until the transaction ends; undefined if it was never listed here. */
export async function lockListing(
  uow: UnitOfWork,
  environment: Environment,
  domain: string,
): Promise<Listing | undefined> {
  return lockOne(uow.sql, environment, domain);
}

/** Marks a domain as sold, off the market and out of search. The caller has locked it and found it for sale. */
export async function markSold(
  uow: UnitOfWork,
  { id, environment }: Pick<Listing, 'id' | 'environment'>,
): Promise<void> {
  await updateSold.sendOne(uow.pipeline, { id, now: uow.realNow });
  await removeFromIndex(uow, environment, [id]);
}

/**
 * Adds a sold listing for a domain (A-labels) that was never on the market; relisting leaves it delisted. Returns its
 * id, or undefined, without a change, if the domain already has a listing.
 */
export async function addSold(
  uow: UnitOfWork,
  { environment, domain, price }: Pick<Listing, 'environment' | 'domain' | 'price'>,
): Promise<number | undefined> {
  const { unicode, sld, tld } = parseDomain(domain);
  const { amount: priceCents, currency } = price;
  const sold = { environment, domain, unicode, sld, tld, priceCents, currency, now: uow.realNow };
  return (await insertSold.first(uow.sql, sold))?.id;
}

/**
 * Starts the next sale of sold domains, which somebody else owns now: off the market, without the former owners' terms.
 * The caller has locked the listings. Returns them by name.
 */
export async function reopenListings(
  uow: UnitOfWork,
  listingIds: readonly number[],
): Promise<Map<string, Listing>> {
  if (listingIds.length === 0) return new Map();
  const reopened = await reopen(uow.sql, listingIds, uow.realNow);
  return new Map(reopened.map((listing) => [listing.domain, listing]));
}

/**
 * Ends the earlier sales of sold domains that staff granted to a new owner: off the market, without the former owners'
 * terms, and theirs if a sale is undone. The caller has locked the listings.
 * @param waiting the listings of domains that are sold and on their way to the buyer, which stay sold
 */
export async function passListingsOn(
  uow: UnitOfWork,
  listingIds: readonly number[],
  waiting: readonly number[],
): Promise<void> {
  const passed = { ids: [...listingIds], waiting: [...waiting], now: uow.realNow };
  if (listingIds.length > 0) await updateGranted.send(uow.pipeline, passed);
}

/**
 * Takes a domain off the market and out of search, whatever becomes of a sale: if it is sold and the sale is undone, it
 * stays off the market. The caller has locked the listing.
 */
export async function withdrawListing(
  uow: UnitOfWork,
  { id, environment }: Pick<Listing, 'id' | 'environment'>,
): Promise<void> {
  await updateWithdrawn.sendOne(uow.pipeline, { id, now: uow.realNow });
  await removeFromIndex(uow, environment, [id]);
}

/**
 * Undoes a sale: the domain returns to the market, unless it had left it before. One that its buyer resold with a
 * brokerage deal is theirs again. Returns false, without a change, if it is not sold, or was sold again since.
 */
export async function relist(uow: UnitOfWork, sale: SaleKey): Promise<boolean> {
  const listing = await undoSale(uow.sql, sale, uow.realNow);
  if (!listing) return false;
  if (listing.status === 'listed') await indexListings(uow, listing.environment, [listing]);
  return true;
}

/** Takes the LIVE listing of a domain (A-labels) off the market and out of search and blocks sales and changes. */
export async function putListingOnLegalHold(uow: UnitOfWork, domain: string): Promise<void> {
  const held = await updateOnLegalHold.first(uow.sql, { domain, now: uow.realNow });
  if (held) await removeFromIndex(uow, 'LIVE', [held.id]);
}

/** Lifts the legal hold from a listing; it returns to the market if it was there before. */
export async function liftLegalHoldOfListing(uow: UnitOfWork, domain: string): Promise<void> {
  const listing = await endLegalHold(uow.sql, domain, uow.realNow);
  if (listing?.status === 'listed') await indexListings(uow, 'LIVE', [listing]);
}

/** Sets a listing's buy-now price (minor units) and lowers a floor above it to match. */
export async function setPrice(
  uow: UnitOfWork,
  listingId: number,
  newPriceCents: Cents,
): Promise<void> {
  await changePrice(uow.sql, listingId, newPriceCents, uow.realNow);
}
