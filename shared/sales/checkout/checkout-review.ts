import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { isHeld, recordHits, screenParties } from '../../people/screening/screen-parties.ts';
import { addMs, type Clock } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import type { Buyer } from '../orders/order.ts';
import { notReleased, partiesOf, SCREENING_REVIEW } from '../orders/screen-order.ts';
import {
  HOLD_MARGIN_MS,
  moveCheckoutHoldEnd,
  releaseCheckoutHold,
} from '../quotes/listing-hold.ts';
import { assertDealStands } from './case-session.ts';
import { checkoutEndedMail, checkoutReadyMail } from './checkout.mails.ts';
import {
  type CheckoutReview,
  countReviews,
  readInReview,
  readReview,
  selectReviewsOver,
  updateReviewBegun,
  updateReviewCleared,
} from './checkout-review.store.ts';
import {
  lockSession,
  moveSession,
  selectPartnerOf,
  updateDecline,
} from './checkout-session.store.ts';
import {
  type CheckoutSession,
  CLEARED_MS,
  REVIEW_DECLINED,
  REVIEW_MS,
  statusAt,
} from './checkout-session.ts';

export type { CheckoutReview };

/**
 * Sends a purchase to review before anything is charged, with the buyer's screening matches if screening is a reason.
 * The session, which must be locked and open, keeps its domain and price. The caller must have locked the partner's
 * holds. @throws conflict (too_many_holds) when the partner has as many purchases in review as it may hold domains
 */
export async function beginReview(
  uow: UnitOfWork,
  { maxOpenHolds }: Pick<Config, 'maxOpenHolds'>,
  { id, partnerId, environment, expiresAt }: CheckoutSession,
  buyer: Buyer,
  reasons: string[],
): Promise<void> {
  const { now } = uow;
  const { reviews } = await countReviews.one(uow.sql, { partnerId, environment, now });
  if (reviews >= maxOpenHolds) {
    throw conflict(
      'too_many_holds',
      `${maxOpenHolds} purchases on your checkout pages are already in review. Wait until one is decided.`,
    );
  }
  const latest = addMs(now, REVIEW_MS);
  const endsAt = expiresAt < latest ? expiresAt : latest;
  await updateReviewBegun.send(uow.pipeline, { id, reasons, endsAt, now });
  await moveCheckoutHoldEnd(uow, id, addMs(endsAt, HOLD_MARGIN_MS));
  if (reasons.includes(SCREENING_REVIEW)) {
    const matches = await screenParties(uow.sql, partiesOf(buyer));
    await recordHits(uow, { partnerId, checkoutSessionId: id }, matches);
  }
}

/**
 * Approves a purchase: the buyer is emailed the link and has a day to pay the reviewed price.
 * @throws not_found, conflict (invalid_state: also while a screening match of the buyer is not released, and when the
 *   deal has ended)
 */
export function clearReview(deps: { db: Database }, sessionId: string): Promise<CheckoutSession> {
  return decide(deps, sessionId, clearReviewIn);
}

/** Like {@link clearReview}, within the caller's transaction. */
export async function clearReviewIn(uow: UnitOfWork, sessionId: string): Promise<CheckoutSession> {
  const session = await lockWaiting(uow, sessionId);
  const { id, partnerId, reviewReasons } = session;
  const screened = reviewReasons.includes(SCREENING_REVIEW);
  if (screened && (await isHeld(uow.sql, { partnerId, checkoutSessionId: id })))
    throw notReleased();
  await assertDealStands(uow, session);
  const { now } = uow;
  const endsAt = addMs(now, CLEARED_MS);
  if ((await updateReviewCleared.run(uow.sql, { id, endsAt, now })) === 0) throw noLongerWaits();
  await moveCheckoutHoldEnd(uow, id, addMs(endsAt, HOLD_MARGIN_MS));
  tellBuyer(session, (to) =>
    uow.mails.add(checkoutReadyMail, {
      to,
      of: session,
      data: { ...purchaseOf(session), payUntil: endsAt.toISOString() },
    }),
  );
  return session;
}

/**
 * Declines a purchase: nothing was charged, and the domain is available again.
 * @throws not_found, conflict (invalid_state)
 */
export function declineReview(deps: { db: Database }, sessionId: string): Promise<CheckoutSession> {
  return decide(deps, sessionId, declineReviewIn);
}

/** Like {@link declineReview}, within the caller's transaction. */
export async function declineReviewIn(
  uow: UnitOfWork,
  sessionId: string,
): Promise<CheckoutSession> {
  const session = await lockWaiting(uow, sessionId);
  if (!(await endReview(uow, session, 'cancel'))) throw noLongerWaits();
  return session;
}

async function decide(
  { db }: { db: Database },
  sessionId: string,
  change: (uow: UnitOfWork, sessionId: string) => Promise<CheckoutSession>,
): Promise<CheckoutSession> {
  // The owner of a session never changes, so it may be read before the transaction.
  const known = await selectPartnerOf.first(db.knex, { id: sessionId });
  if (!known) throw noReviewFound();
  return db.transactFor(known.partnerId, (uow) => change(uow, sessionId));
}

async function lockWaiting(uow: UnitOfWork, sessionId: string): Promise<CheckoutSession> {
  const session = await lockSession(uow.sql, sessionId);
  if (!session) throw noReviewFound();
  await uow.enterTimeOf(session);
  const waits = session.reviewSince !== null && statusAt(session, uow.now) === 'open';
  if (!waits) throw noLongerWaits();
  return session;
}

function noLongerWaits() {
  return conflict('invalid_state', 'This purchase is no longer in review. Reload the list.');
}

/** Ends a session that was declined or not decided in time, and mails its buyer. False if it has already ended. */
async function endReview(
  uow: UnitOfWork,
  session: CheckoutSession,
  move: 'cancel' | 'expire',
): Promise<boolean> {
  if (!(await moveSession(uow.sql, session.id, move, uow.now))) return false;
  await releaseCheckoutHold(uow, session.id);
  if (move === 'cancel') {
    await updateDecline.send(uow.pipeline, { id: session.id, code: REVIEW_DECLINED, now: uow.now });
  }
  const outcome = move === 'cancel' ? 'declined' : 'expired';
  tellBuyer(session, (to) =>
    uow.mails.add(checkoutEndedMail, {
      to,
      of: session,
      data: { ...purchaseOf(session), outcome },
    }),
  );
  return true;
}

/**
 * Ends up to `limit` sessions whose review ran out of time and returns how many. Logs a session that fails; the next
 * run retries it.
 */
export async function expireReviews(
  { db, clock, log }: { db: Database; clock: Clock; log: Logger },
  limit: number,
): Promise<number> {
  const over = await selectReviewsOver.all(db.knex, { sandboxOf: null, now: clock.now(), limit });
  let ended = 0;
  for (const { id } of over) {
    try {
      await db.transact((uow) => expireReview(uow, id));
      ended += 1;
    } catch (error) {
      log.warn({ err: error, session_id: id }, 'a review that is over was not ended');
    }
  }
  return ended;
}

const SANDBOX_LIMIT = 10_000;

/** Like {@link expireReviews}, for a partner's sandbox, by the sandbox's clock, which the unit of work uses. */
export async function expireSandboxReviews(uow: UnitOfWork, partnerId: string): Promise<void> {
  const { now } = uow;
  const due = { sandboxOf: partnerId, now, limit: SANDBOX_LIMIT };
  for (const { id } of await selectReviewsOver.all(uow.sql, due)) await expireReview(uow, id);
}

async function expireReview(uow: UnitOfWork, id: string): Promise<void> {
  const session = await lockSession(uow.sql, id);
  // The review was decided or extended meanwhile.
  if (!session || session.reviewSince === null || session.expiresAt > uow.now) return;
  await endReview(uow, session, 'expire');
}

/** Lists the purchases of all partners that are in review, in one environment or both. */
export function listReviews(
  { db }: { db: Database },
  environment: Environment | null,
  page: ListPage,
): Promise<Page<CheckoutReview>> {
  const read = (limit: number) => readInReview(db.knex, environment, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

/** Returns one purchase in review. @throws not_found, also for a session that is not in review */
export async function getReview({ db }: { db: Database }, id: string): Promise<CheckoutReview> {
  const review = await readReview(db.knex, id);
  if (!review) throw noReviewFound();
  return review;
}

/** Locks a session and returns the state of its review. @throws not_found */
export async function lockReview(
  uow: UnitOfWork,
  id: string,
): Promise<Pick<CheckoutSession, 'status' | 'reviewReasons' | 'clearedReasons'>> {
  const session = await lockSession(uow.sql, id);
  if (!session) throw noReviewFound();
  return session;
}

function noReviewFound() {
  return fail('not_found', { message: 'No purchase in review has this ID.' });
}

function purchaseOf({ id, domain, price, reviewSince, buyerName }: CheckoutSession) {
  return {
    sessionId: id,
    domain,
    price: { amount: price.amount, currency: price.currency },
    buyerName,
    since: reviewSince?.toISOString() ?? '',
  };
}

/** Mails the buyer, unless the buyer's data was erased. */
function tellBuyer(
  { buyerEmail: email, buyerCountry: country }: CheckoutSession,
  tell: (to: { email: string; country: string | null }) => void,
): void {
  if (email !== null) tell({ email, country });
}
