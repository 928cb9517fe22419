import { findOwnerId } from '../../domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../domains/owned-domains/owned-domain.ts';
import { lockListing } from '../../market/inventory/change-listings.ts';
import {
  assertNoLegalHold,
  assertTransferable,
  isOfEarlierSale,
  type Listing,
} from '../../market/inventory/listing.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { readUserEmail } from '../../people/users/user-account.ts';
import { addMs, type Clock, daysAgo, SECOND } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { conflict, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type Cents, formatMoney, Money } from '../../platform/money.ts';
import type { Buyer } from '../orders/order.ts';
import {
  canHoldMore,
  holdForOffer,
  isHeld,
  lockHolds,
  offerReleasedAt,
} from '../quotes/listing-hold.ts';
import { type OfferEventType, offerEvent } from './offer.events.ts';
import { offerReceivedMail } from './offer.mails.ts';
import {
  changeStatus,
  deleteFloor,
  insertStep,
  type MoveFields,
  readOffer,
  selectAcceptedByFloor,
  selectNextExpiry,
  selectOverdueForUpdate,
  selectOverdueOfPartner,
  selectReachesFloor,
  selectUnaccepted,
  selectUnsellableForUpdate,
  updateAcceptedBuyersErased,
  updateBuyersErased,
  upsertFloor,
  writeOffer,
} from './offer.store.ts';
import {
  CLOSED_AFTER_RELEASE_MS,
  FLOOR_REST_MS,
  hasTurn,
  MAX_UNACCEPTED_OFFERS,
  OFFER_MOVES,
  OFFER_WINDOW_MS,
  type Offer,
  type OfferActor,
  type OfferMoveName,
  type OfferOwner,
  type OfferSide,
} from './offer.ts';

type Deps = { db: Database; config: Config };

/**
 * Makes an offer (minor units) below the buy-now price for a partner's buyer. An offer that reaches the owner's private
 * floor is accepted at once, unless the domain is held, the partner is at its hold limit, or the floor recently
 * accepted an offer of this partner.
 * @throws not_found, conflict (domain_sold, offers_closed, open_offer, transfer_locked, legal_hold), rate_limited,
 *   validation_error
 */
export async function makeOffer(
  { db, config }: Deps,
  owner: OfferOwner,
  wanted: { domain: string; amountCents: Cents; currency?: string | null; buyer: Buyer },
): Promise<Offer> {
  return db.transactFor(owner.partnerId, async (uow) => {
    const { now } = uow;
    await lockHolds(uow, owner.partnerId);
    const listing = await lockListing(uow, owner.environment, wanted.domain);
    assertTakesOffers(listing, wanted.domain);
    assertTransferable(listing, uow.realNow);
    await assertNotReleased(uow, owner, listing);
    const { email, name, country } = wanted.buyer;
    const offer: Offer = {
      id: newId('offer', now),
      partnerId: owner.partnerId,
      environment: owner.environment,
      listingId: listing.id,
      domain: listing.domain,
      status: 'OPEN',
      amount: offered(listing, wanted),
      counter: null,
      price: null,
      quoteId: null,
      quoteExpiresAt: null,
      releasedAt: null,
      buyerEmail: email,
      buyerName: name,
      buyerCountry: country,
      createdAt: now,
      updatedAt: now,
      expiresAt: addMs(now, config.offerMs),
    };
    await assertMayOffer(uow, offer);
    if (!(await writeOffer(uow.sql, offer))) {
      throw conflict('open_offer', 'This buyer already has an open offer on the domain.');
    }
    await tell(uow, offer, 'offer.created', 'buyer', offer.amount);
    return tellOwner(uow, listing, await acceptAtFloor(uow, config, offer));
  });
}

/**
 * Accepts the other side's price, for the side whose turn it is. A quote keeps the price and holds the domain.
 * @throws not_found, conflict (invalid_state, domain_sold, domain_reserved, offers_closed, above_price,
 *   transfer_locked, legal_hold, too_many_holds)
 */
export function acceptOffer(
  { db, config }: Deps,
  owner: OfferOwner | null,
  id: string,
): Promise<Offer> {
  return transactWithOffer(db, owner, id, async (uow, offer, side) => {
    const price = side === 'owner' ? offer.amount : offer.counter;
    if (!price) throw new Error(`${id} was countered without a price`);
    return acceptAt(uow, config, offer, price, side);
  });
}

/**
 * Makes a counter-offer (minor units) above the offer, for the side whose turn it is: the owner up to the buy-now
 * price, the buyer below the owner's price. A buyer's price that reaches the floor is accepted at once.
 * @throws not_found, conflict (invalid_state, domain_sold, offers_closed, above_price, transfer_locked, legal_hold),
 *   validation_error
 */
export function counterOffer(
  { db, config }: Deps,
  owner: OfferOwner | null,
  id: string,
  amountCents: Cents,
): Promise<Offer> {
  return transactWithOffer(db, owner, id, async (uow, offer, side) => {
    const named = new Money(amountCents, offer.amount.currency);
    const refuse = (message: string) => invalid([{ path: '/amount_cents', message }]);
    if (named.amount <= offer.amount.amount) {
      throw refuse(`must be more than the offer of ${formatMoney(offer.amount)}`);
    }
    if (side === 'buyer' && offer.counter && named.amount >= offer.counter.amount) {
      throw refuse(`must be less than ${formatMoney(offer.counter)}, which you can accept`);
    }
    await lockHolds(uow, offer.partnerId);
    const listing = await lockListing(uow, offer.environment, offer.domain);
    assertTakesOffers(listing, offer.domain);
    assertOfThisSale(listing, offer);
    assertNotAbovePrice(listing, named, offer, side);
    // Checked before the floor, so that no error reveals the floor.
    if (side === 'buyer') {
      assertTransferable(listing, uow.realNow);
      await assertNotReleased(uow, offer, listing);
    }
    const expiresAt = addMs(uow.now, config.offerMs);
    if (side === 'owner') return move(uow, offer, 'counter', side, { counter: named, expiresAt });
    const raised = await move(uow, offer, 'raise', side, { amount: named, expiresAt });
    return tellOwner(uow, listing, await acceptAtFloor(uow, config, raised));
  });
}

/** Declines an offer, for the side whose turn it is. @throws not_found, conflict (invalid_state) */
export function declineOffer(
  { db }: Pick<Deps, 'db'>,
  owner: OfferOwner | null,
  id: string,
): Promise<Offer> {
  return transactWithOffer(db, owner, id, (uow, offer, side) =>
    move(uow, offer, 'decline', side, {}),
  );
}

/**
 * Ends up to `limit` offers that expired, or whose domain was sold, was withdrawn or takes no more offers, and returns
 * how many. It may run late, because all this is checked on use.
 */
export function expireOffers(
  { db }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  return db.transact(async (uow) => {
    const { sql, now } = uow;
    const overdue = await selectOverdueForUpdate.all(sql, { now, limit });
    const left = limit - overdue.length;
    const unsellable = await selectUnsellableForUpdate.all(sql, { now, limit: left });
    return expireAll(uow, [...overdue, ...unsellable]);
  });
}

/** Like {@link expireOffers}, for a partner's sandbox, by the sandbox's clock, which `db` uses. */
export async function expireSandboxOffers(
  { db }: { db: Database },
  partnerId: string,
  limit: number,
): Promise<number> {
  return db.transact(async (uow) => {
    const due = { partnerId, now: uow.now, limit };
    return expireAll(uow, await selectOverdueOfPartner.all(uow.sql, due));
  });
}

async function expireAll(uow: UnitOfWork, ended: readonly { id: string }[]): Promise<number> {
  for (const { id } of ended) {
    const offer = await readOffer(uow.sql, null, id);
    if (!offer) continue;
    await uow.enterTimeOf(offer);
    await move(uow, offer, 'expire', 'clock', {});
  }
  return ended.length;
}

/** Returns when the next open offer of a partner's sandbox expires, in its time; null if there is none. */
export async function nextOfferExpiry(
  sql: Sql,
  partnerId: string,
  after: Date,
): Promise<Date | null> {
  return (await selectNextExpiry.one(sql, { partnerId, after })).at;
}

/**
 * Erases the buyers of up to `limit` offers that were declined or expired CHECKOUT_BUYER_KEEP_DAYS ago, and of up to
 * `limit` offers whose quote ended then. Returns how many. If the quote was used, the order keeps the buyer.
 */
export async function eraseOfferBuyers(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  limit: number,
): Promise<number> {
  const ended = { before: daysAgo(clock, config.checkoutBuyerKeepDays), limit };
  const refused = await updateBuyersErased.run(db.knex, ended);
  return refused + (await updateAcceptedBuyersErased.run(db.knex, ended));
}

/**
 * Sets the floor (minor units) from which offers on a listing are accepted at once; null removes it. Earlier offers
 * still wait for an answer.
 * @throws not_found
 */
export async function setOfferFloor(
  uow: UnitOfWork,
  { environment, domain }: { environment: Environment; domain: string },
  floorCents: Cents | null,
): Promise<void> {
  const listing = await lockListing(uow, environment, domain);
  if (!listing) throw fail('not_found', { message: `${domain} is not listed.` });
  const { id: listingId, price } = listing;
  if (floorCents === null) await deleteFloor.run(uow.sql, { listingId });
  else {
    const { currency } = price;
    await upsertFloor.send(uow.pipeline, { listingId, floorCents, currency, now: uow.now });
  }
}

async function transactWithOffer(
  db: Database,
  owner: OfferOwner | null,
  id: string,
  work: (uow: UnitOfWork, offer: Offer, side: OfferSide) => Promise<Offer>,
): Promise<Offer> {
  const side = owner === null ? 'owner' : 'buyer';
  return db.transactFor(owner?.partnerId ?? id, async (uow) => {
    const offer = await readOffer(uow.sql, owner, id, { lock: true });
    if (!offer) throw offerNotFound();
    await uow.enterTimeOf(offer);
    if (!hasTurn(side, offer.status) || offer.expiresAt <= uow.now) {
      const status = offer.expiresAt <= uow.now && offer.price === null ? 'EXPIRED' : offer.status;
      throw conflict('invalid_state', `The offer is ${status}: it is not yours to answer.`);
    }
    return work(uow, offer, side);
  });
}

/** Locks an offer of any partner. @throws not_found */
export async function getOfferForUpdate(uow: UnitOfWork, id: string): Promise<Offer> {
  const offer = await readOffer(uow.sql, null, id, { lock: true });
  if (!offer) throw offerNotFound();
  return offer;
}

export function offerNotFound() {
  return fail('not_found', { message: 'No offer has this ID.' });
}

/**
 * Accepts an offer that reaches the floor. The caller must have locked the partner's holds and the listing. The floor
 * is checked last, when nothing else can prevent the acceptance. Otherwise the response, or its timing, would reveal
 * the floor at no cost.
 */
async function acceptAtFloor(uow: UnitOfWork, config: Config, offer: Offer): Promise<Offer> {
  const { partnerId, environment, listingId, amount } = offer;
  const since = addMs(uow.now, -FLOOR_REST_MS);
  const lately = { partnerId, environment, listingId, since };
  if ((await selectAcceptedByFloor.one(uow.sql, lately)).found) return offer;
  if (await isHeld(uow, listingId)) return offer;
  if (!(await canHoldMore(uow, config, offer))) return offer;
  const { reaches } = await selectReachesFloor.one(uow.sql, {
    listingId,
    amountCents: amount.amount,
    currency: amount.currency,
  });
  return reaches ? acceptAt(uow, config, offer, amount, 'floor') : offer;
}

/** @throws rate_limited when the partner has too many recent offers on the listing that were not accepted */
async function assertMayOffer(
  { sql, now }: UnitOfWork,
  { partnerId, environment, listingId, domain }: Offer,
): Promise<void> {
  const others = MAX_UNACCEPTED_OFFERS - 1;
  const found = await selectUnaccepted.first(sql, { partnerId, environment, listingId, others });
  const freeAt = found && addMs(found.at, OFFER_WINDOW_MS);
  if (!freeAt || freeAt <= now) return;
  throw fail('rate_limited', {
    message: `You made ${MAX_UNACCEPTED_OFFERS} offers on ${domain} within 24 hours. Wait for their answers, or try again later.`,
    retryAfterSeconds: Math.ceil((freeAt.getTime() - now.getTime()) / SECOND),
  });
}

/** @throws conflict (offers_closed) after this partner released an accepted offer on the listing */
async function assertNotReleased(
  uow: UnitOfWork,
  owner: OfferOwner,
  { id, domain }: Listing,
): Promise<void> {
  const at = await offerReleasedAt(uow, owner, id);
  const until = at && addMs(at, CLOSED_AFTER_RELEASE_MS);
  if (!until || until <= uow.now) return;
  throw conflict(
    'offers_closed',
    `You released an accepted offer on ${domain}. Buy it at its price, or offer again after ${until.toISOString()}.`,
  );
}

async function acceptAt(
  uow: UnitOfWork,
  config: Config,
  offer: Offer,
  price: Money,
  by: OfferActor,
): Promise<Offer> {
  const { partnerId, environment, domain, listingId, id: offerId } = offer;
  await lockHolds(uow, partnerId);
  const listing = await lockListing(uow, environment, domain);
  assertTakesOffers(listing, domain);
  assertOfThisSale(listing, offer);
  assertNotAbovePrice(listing, price, offer, by);
  assertTransferable(listing, uow.realNow);
  const quoteExpiresAt = addMs(uow.now, config.offerQuoteMs);
  const hold = { partnerId, environment, listingId, price, expiresAt: quoteExpiresAt, offerId };
  const quote = await holdForOffer(uow, config, hold);
  if (!quote)
    throw conflict('domain_reserved', `${domain} is held for someone else. Try again later.`);
  return move(uow, offer, 'accept', by, { agreed: { price, quoteId: quote.id, quoteExpiresAt } });
}

async function move(
  uow: UnitOfWork,
  offer: Offer,
  name: OfferMoveName,
  by: OfferActor,
  fields: MoveFields,
): Promise<Offer> {
  const moved = await changeStatus(uow.sql, offer.id, OFFER_MOVES[name], fields, uow.now);
  // The row is locked and its status was checked, so this should not happen.
  if (!moved) throw conflict('invalid_state', `The offer is ${offer.status}.`);
  const named = fields.agreed?.price ?? fields.counter ?? fields.amount ?? null;
  await tell(uow, moved, OFFER_MOVES[name].event, by, named);
  return moved;
}

/** Records a step and adds its event. */
async function tell(
  uow: UnitOfWork,
  offer: Offer,
  event: OfferEventType,
  by: OfferActor,
  named: Money | null,
): Promise<void> {
  const { now } = uow;
  const step = { offerId: offer.id, event, by, amountCents: named?.amount ?? null, now };
  await insertStep.send(uow.pipeline, step);
  uow.events.add(offer, offerEvent(event, offer));
}

/** Mails the domain's owner about a buyer's price. Staff answer offers on owners' domains, as on our own. */
async function tellOwner(uow: UnitOfWork, listing: Listing, offer: Offer): Promise<Offer> {
  const { id: offerId, environment, domain, amount, counter: asked } = offer;
  if (environment !== OWNERS_ENVIRONMENT) return offer;
  const userId = await findOwnerId(uow.sql, domain);
  if (userId === undefined) return offer;
  const isAccepted = offer.status === 'ACCEPTED';
  const until = (offer.quoteExpiresAt ?? offer.expiresAt).toISOString();
  uow.mails.add(offerReceivedMail, {
    to: { email: await readUserEmail(uow.sql, userId) },
    of: null,
    data: { offerId, domain, amount, price: listing.price, asked, until, isAccepted },
  });
  return offer;
}

function assertTakesOffers(
  listing: Listing | undefined,
  domain: string,
): asserts listing is Listing {
  assertNoLegalHold(listing);
  if (listing?.status === 'sold') throw conflict('domain_sold', `${domain} has been sold.`);
  if (listing?.status !== 'listed') {
    throw fail('not_found', { message: `${domain} is not listed.` });
  }
  if (!listing.offersAccepted) {
    throw conflict(
      'offers_closed',
      `The owner of ${domain} does not accept offers. Buy it at its price.`,
    );
  }
}

/** @throws conflict (domain_sold) for an offer to an owner who has sold the domain since, even if it is on sale again */
function assertOfThisSale(listing: Listing, offer: Offer): void {
  if (!isOfEarlierSale(listing, offer)) return;
  throw conflict('domain_sold', `${offer.domain} has been sold.`);
}

/**
 * Checks that a buyer never pays more than the buy-now price, even if the owner has lowered it since. Once it is not
 * above the offer, no lower price can be named.
 */
function assertNotAbovePrice(
  { domain, price: buyNow }: Listing,
  price: Money,
  { amount }: Offer,
  by: OfferActor,
): void {
  const owner = by === 'owner';
  if (buyNow.currency !== price.currency) {
    throw conflict(
      'invalid_state',
      `The domain is now priced in another currency. Decline the offer${owner ? '' : ', then make a new one'}.`,
    );
  }
  if (price.amount > buyNow.amount) {
    const lower = buyNow.amount > amount.amount ? 'name less' : 'decline the offer';
    throw conflict(
      'above_price',
      `${domain} costs ${formatMoney(buyNow)}, less than ${formatMoney(price)}. ${owner ? 'Raise its price first' : 'Buy it at its price'}, or ${lower}.`,
    );
  }
}

/** Returns the amount of a valid offer: below the buy-now price, and not below the published floor price. */
function offered(
  { price, floorPrice }: Listing,
  { amountCents, currency = null }: { amountCents: Cents; currency?: string | null },
): Money {
  if (currency !== null && currency !== price.currency) {
    const message = `must be ${price.currency}, the currency of the price`;
    throw invalid([{ path: '/currency', message }]);
  }
  const refuse = (message: string) => invalid([{ path: '/amount_cents', message }]);
  if (amountCents >= price.amount) {
    throw refuse(`must be less than the buy-now price of ${formatMoney(price)}`);
  }
  if (floorPrice && amountCents < floorPrice.amount) {
    throw refuse(`must be at least ${formatMoney(floorPrice)}`);
  }
  return new Money(amountCents, price.currency);
}
