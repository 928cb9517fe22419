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

/** Payment results that arrive in the last second must still find the domain held. */
export const HOLD_MARGIN_MS = 5 * MINUTE;

/** The hold of a buyer in a checkout. */
export interface CheckoutHold extends QuoteOwner, Pick<Quote, 'listingId' | 'price' | 'expiresAt'> {
  sessionId: string;
}

/**
 * Holds a listing for the buyer of a checkout session, anew and beyond the limit when the session holds it already; a
 * quote of its own partner gives way. False when somebody else holds it. The partner's holds and the listing are
 * locked before, in this order.
 * @throws conflict (too_many_holds)
 */
export async function holdForCheckout(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  hold: CheckoutHold,
): Promise<boolean> {
  const { sessionId, partnerId, environment, listingId, price, expiresAt } = hold;
  const held = await hasCheckoutHold(uow, sessionId, listingId);
  await updateCheckoutHold.send(uow.pipeline, {
    checkoutSessionId: sessionId,
    state: 'superseded',
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
  };
  return writeHold(uow, quote, { checkoutSessionId: sessionId });
}

/**
 * Makes the hold of a quote, locked and good, that of a checkout session; the quote is used up. Its price and its
 * end stay.
 */
export async function moveHoldToCheckout(
  uow: UnitOfWork,
  quote: Quote,
  sessionId: string,
): Promise<void> {
  await updateState.send(uow.pipeline, { id: quote.id, state: 'used' });
  const hold = { ...quote, id: newId('quote', uow.now), createdAt: uow.now };
  if (!(await writeHold(uow, hold, { checkoutSessionId: sessionId }))) {
    throw new Error(`listing ${quote.listingId} is held beside its open quote ${quote.id}`);
  }
}

/**
 * Holds a listing for the buyer of an accepted offer: the quote, or undefined while somebody holds it, the partner's
 * own quotes included. The partner's holds and the listing are locked before, in this order.
 * @throws conflict (too_many_holds)
 */
export async function holdForOffer(
  uow: UnitOfWork,
  config: Pick<Config, 'maxOpenHolds'>,
  hold: Omit<CheckoutHold, 'sessionId'> & { offerId: string },
): Promise<Quote | undefined> {
  const { now } = uow;
  const { offerId, ...rest } = hold;
  await updateExpiredHold.send(uow.pipeline, { listingId: hold.listingId, now: uow.realNow });
  await enforceHoldLimit(uow, config, hold);
  const quote: Quote = { ...rest, id: newId('quote', now), state: 'open', createdAt: now };
  return (await writeHold(uow, quote, { offerId })) ? quote : undefined;
}

/** Whether anybody holds a listing now. */
export async function isHeld(uow: UnitOfWork, listingId: number): Promise<boolean> {
  return (await selectHolder.first(uow.sql, { listingId, now: uow.realNow })) !== undefined;
}

/** Moves the end of a session's hold, if it has one. */
export async function moveCheckoutHoldEnd(
  uow: UnitOfWork,
  sessionId: string,
  expiresAt: Date,
): Promise<void> {
  await updateCheckoutHoldEnd.send(uow.pipeline, { checkoutSessionId: sessionId, expiresAt });
}

/** Whether a session holds a listing now. */
export async function hasCheckoutHold(
  uow: UnitOfWork,
  sessionId: string,
  listingId: number,
): Promise<boolean> {
  const hold = await selectHolder.first(uow.sql, { listingId, now: uow.realNow });
  return hold?.holder === sessionId;
}

/** Turns a session's hold into a sale. False, without a change, while somebody else holds the listing. */
export async function consumeCheckoutHold(
  uow: UnitOfWork,
  owner: QuoteOwner & { sessionId: string },
  listingId: number,
): Promise<boolean> {
  const { partnerId, sessionId } = owner;
  await updateOwnOrExpiredHold.send(uow.pipeline, { partnerId, listingId, now: uow.realNow });
  const hold = await selectHolder.first(uow.sql, { listingId, now: uow.realNow });
  if (hold !== undefined && hold.holder !== sessionId) return false;
  await updateCheckoutHold.send(uow.pipeline, { checkoutSessionId: sessionId, state: 'used' });
  return true;
}

/** Releases a session's hold, if it has one. */
export async function releaseCheckoutHold(uow: UnitOfWork, sessionId: string): Promise<void> {
  await updateCheckoutHold.send(uow.pipeline, { checkoutSessionId: sessionId, state: 'released' });
}

/** Serializes the holds of one partner, so that they can be counted. Lock it before a listing. */
export async function lockHolds(uow: UnitOfWork, partnerId: string): Promise<void> {
  await selectPartnerForUpdate.send(uow.pipeline, { partnerId });
}

/**
 * Refuses one hold more than a partner may have in an environment, by its quotes and by payments under way on its
 * checkout pages together. @throws conflict (too_many_holds)
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

/** Whether a partner may hold one domain more. */
export async function canHoldMore(
  uow: UnitOfWork,
  { maxOpenHolds }: Pick<Config, 'maxOpenHolds'>,
  { partnerId, environment }: QuoteOwner,
): Promise<boolean> {
  const { holds } = await countHolds.one(uow.sql, { partnerId, environment, now: uow.realNow });
  return holds < maxOpenHolds;
}

/** When a partner last released the quote of an accepted offer on a listing; null if it never did. */
export async function offerReleasedAt(
  uow: UnitOfWork,
  { partnerId, environment }: QuoteOwner,
  listingId: number,
): Promise<Date | null> {
  return (await selectOfferReleased.one(uow.sql, { partnerId, environment, listingId })).at;
}
