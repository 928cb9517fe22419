import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  countHolds,
  selectHolder,
  selectOfferReleased,
  selectPartnerForUpdate,
  updateCheckoutHold,
  updateCheckoutHoldEnd,
  updateExpiredHold,
  updateOwnOrExpiredHold,
  updateState,
  writeHold,
} from './quote.store.ts';
import type { Quote, QuoteOwner } from './quote.ts';

/** How long a hold outlasts its payment, so that a result in the last second still finds the domain held. */
export const HOLD_MARGIN_MS = 5 * MINUTE;

/** A hold for the buyer of a checkout session. */
export interface CheckoutHold extends QuoteOwner, Pick<Quote, 'listingId' | 'price' | 'expiresAt'> {
  sessionId: string;
}

/**
 * Holds a listing for the buyer of a checkout session. Replaces the session's existing hold, which does not count
 * against the limit and may keep an accepted offer, and any quote of the session's own partner. Returns false if
 * somebody else holds the listing. The caller must have locked the partner's holds, then the listing.
 * @throws conflict (too_many_holds)
 */
export async function holdForCheckout(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  hold: CheckoutHold,
): Promise<boolean> {
  const { sessionId, partnerId, environment, listingId, price, expiresAt } = hold;
  const held = await checkoutHoldOf(uow, sessionId, listingId);
  await updateCheckoutHold.send(uow.pipeline, {
    checkoutSessionId: sessionId,
    state: 'superseded',
    releasedAt: null,
  });
  await updateOwnOrExpiredHold.send(uow.pipeline, { partnerId, listingId, now: uow.realNow });
  if (!held) await enforceHoldLimit(uow, config, hold);
  const quote: Quote = {
    id: newId('quote', uow.now),
    partnerId,
    environment,
    listingId,
    price,
    state: 'open',
    createdAt: uow.now,
    expiresAt,
    offerId: held?.offerId ?? null,
  };
  return writeHold(uow, quote, sessionId);
}

/**
 * Moves the hold of a locked, valid quote to a checkout session and marks the quote used. The hold keeps its price,
 * its end and its offer.
 */
export async function moveHoldToCheckout(
  uow: UnitOfWork,
  quote: Quote,
  sessionId: string,
): Promise<void> {
  await updateState.send(uow.pipeline, { id: quote.id, state: 'used' });
  const hold = { ...quote, id: newId('quote', uow.now), createdAt: uow.now };
  if (!(await writeHold(uow, hold, sessionId))) {
    throw new Error(`listing ${quote.listingId} is held beside its open quote ${quote.id}`);
  }
}

/**
 * Holds a listing for the buyer of an accepted offer. Returns the quote, or undefined if the listing is already held,
 * even by the partner's own quote. The caller must have locked the partner's holds, then the listing.
 * @throws conflict (too_many_holds)
 */
export async function holdForOffer(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  hold: Omit<CheckoutHold, 'sessionId'> & { offerId: string },
): Promise<Quote | undefined> {
  const { now } = uow;
  await updateExpiredHold.send(uow.pipeline, { listingId: hold.listingId, now: uow.realNow });
  await enforceHoldLimit(uow, config, hold);
  const quote: Quote = { ...hold, id: newId('quote', now), state: 'open', createdAt: now };
  return (await writeHold(uow, quote)) ? quote : undefined;
}

/** Returns whether anybody holds a listing now. */
export async function isHeld(uow: UnitOfWork, listingId: number): Promise<boolean> {
  return (await selectHolder.first(uow.sql, { listingId, now: uow.realNow })) !== undefined;
}

/** Changes when a session's hold ends, if it has one. */
export async function moveCheckoutHoldEnd(
  uow: UnitOfWork,
  sessionId: string,
  expiresAt: Date,
): Promise<void> {
  await updateCheckoutHoldEnd.send(uow.pipeline, { checkoutSessionId: sessionId, expiresAt });
}

/** Returns whether a session holds a listing now. */
export async function hasCheckoutHold(
  uow: UnitOfWork,
  sessionId: string,
  listingId: number,
): Promise<boolean> {
  return (await checkoutHoldOf(uow, sessionId, listingId)) !== undefined;
}

async function checkoutHoldOf(uow: UnitOfWork, sessionId: string, listingId: number) {
  const hold = await selectHolder.first(uow.sql, { listingId, now: uow.realNow });
  return hold?.holder === sessionId ? hold : undefined;
}

/** Uses up a session's hold for a sale. Returns false and keeps the hold if somebody else holds the listing. */
export async function consumeCheckoutHold(
  uow: UnitOfWork,
  owner: QuoteOwner & { sessionId: string },
  listingId: number,
): Promise<boolean> {
  const { partnerId, sessionId } = owner;
  await updateOwnOrExpiredHold.send(uow.pipeline, { partnerId, listingId, now: uow.realNow });
  const hold = await selectHolder.first(uow.sql, { listingId, now: uow.realNow });
  if (hold !== undefined && hold.holder !== sessionId) return false;
  await updateCheckoutHold.send(uow.pipeline, {
    checkoutSessionId: sessionId,
    state: 'used',
    releasedAt: null,
  });
  return true;
}

/**
 * Releases a session's hold, if it has one. If its buyer gave it up, that counts as releasing the accepted offer that
 * the hold kept.
 */
export async function releaseCheckoutHold(
  uow: UnitOfWork,
  sessionId: string,
  { givenUp = false }: { givenUp?: boolean } = {},
): Promise<void> {
  await updateCheckoutHold.send(uow.pipeline, {
    checkoutSessionId: sessionId,
    state: 'released',
    releasedAt: givenUp ? uow.now : null,
  });
}

/** Locks the holds of one partner, so that they can be counted. Call it before locking a listing. */
export async function lockHolds(uow: UnitOfWork, partnerId: string): Promise<void> {
  await selectPartnerForUpdate.send(uow.pipeline, { partnerId });
}

/**
 * Checks that a partner may hold one more domain in an environment. Quotes and payments in progress on its checkout
 * pages count together. @throws conflict (too_many_holds)
 */
export async function enforceHoldLimit(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  owner: QuoteOwner,
): Promise<void> {
  if (await canHoldMore(uow, config, owner)) return;
  throw conflict(
    'too_many_holds',
    `You hold ${config.maxOpenHolds} domains already, payments under way on your checkout pages included. Release a quote, or wait for one to expire.`,
  );
}

/** Returns whether a partner may hold one more domain. */
export async function canHoldMore(
  uow: UnitOfWork,
  { maxOpenHolds }: Pick<Config, 'maxOpenHolds'>,
  { partnerId, environment }: QuoteOwner,
): Promise<boolean> {
  const { holds } = await countHolds.one(uow.sql, { partnerId, environment, now: uow.realNow });
  return holds < maxOpenHolds;
}

/** Returns when a partner, or its buyer, last gave up an accepted offer on a listing; null if never. */
export async function offerReleasedAt(
  uow: UnitOfWork,
  { partnerId, environment }: QuoteOwner,
  listingId: number,
): Promise<Date | null> {
  return (await selectOfferReleased.one(uow.sql, { partnerId, environment, listingId })).at;
}
