import type { Config } from '../../platform/config/config.ts';
import type { Tx } from '../../platform/database/database.ts';
import { conflict } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import {
  countHolds,
  endCheckoutHold,
  endOwnOrExpiredHold,
  findHolder,
  insertHold,
  lockPartner,
} from './quote.store.ts';
import type { Quote, QuoteOwner } from './quote.ts';

/** What a buyer at the till wants to keep from everybody else. */
export interface CheckoutHold extends QuoteOwner, Pick<Quote, 'listingId' | 'price' | 'expiresAt'> {
  sessionId: string;
}

/**
 * Holds a listing for the buyer of a checkout session, anew when the session holds it already; a quote of
 * its own partner gives way. False when somebody else holds it. The partner's holds and the listing are locked
 * before, in this order.
 * @throws conflict (too_many_holds)
 */
export async function holdForCheckout(
  tx: Tx,
  config: Pick<Config, 'maxOpenHolds'>,
  hold: CheckoutHold,
  now: Date,
): Promise<boolean> {
  await endCheckoutHold(tx, hold.sessionId, 'superseded');
  await endOwnOrExpiredHold(tx, hold, hold.listingId, now);
  await enforceHoldLimit(tx, config, hold, now);
  const { sessionId, partnerId, environment, listingId, price, expiresAt } = hold;
  const quote: Quote = {
    id: newId('quote', now),
    partnerId,
    environment,
    listingId,
    price,
    state: 'open',
    createdAt: now,
    expiresAt,
  };
  return insertHold(tx, quote, sessionId);
}

/** Whether a session holds a listing now. */
export async function hasCheckoutHold(
  tx: Tx,
  sessionId: string,
  listingId: number,
  now: Date,
): Promise<boolean> {
  return (await findHolder(tx, listingId, now)) === sessionId;
}

/** Turns what a session holds into a sale. False, and nothing changes, while somebody else holds the listing. */
export async function consumeCheckoutHold(
  tx: Tx,
  owner: QuoteOwner & { sessionId: string },
  listingId: number,
  now: Date,
): Promise<boolean> {
  await endOwnOrExpiredHold(tx, owner, listingId, now);
  const holder = await findHolder(tx, listingId, now);
  if (holder !== undefined && holder !== owner.sessionId) return false;
  await endCheckoutHold(tx, owner.sessionId, 'used');
  return true;
}

/** Gives back what a session holds, if anything. */
export async function releaseCheckoutHold(tx: Tx, sessionId: string): Promise<void> {
  await endCheckoutHold(tx, sessionId, 'released');
}

/** Makes the holding of one partner sequential, so that its holds can be counted. Lock it before a listing. */
export const lockHolds = lockPartner;

/**
 * Refuses one hold more than a partner may have in an environment, by its quotes and by payments under way on its
 * checkout pages together. @throws conflict (too_many_holds)
 */
export async function enforceHoldLimit(
  tx: Tx,
  { maxOpenHolds }: Pick<Config, 'maxOpenHolds'>,
  owner: QuoteOwner,
  now: Date,
): Promise<void> {
  if ((await countHolds(tx, owner, now)) < maxOpenHolds) return;
  throw conflict(
    'too_many_holds',
    `You hold ${maxOpenHolds} domains already, payments under way on your checkout pages included. Release a quote, or wait for one to expire.`,
  );
}
