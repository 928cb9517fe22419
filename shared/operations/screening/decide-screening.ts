import {
  declineChange,
  releaseChange,
} from '../../domains/domain-registrants/change-registrant.ts';
import { releaseRegistrant } from '../../domains/domain-registrants/screen-registrants.ts';
import { lockLegalHolds } from '../../market/legal-holds/change-legal-holds.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { confirmRelease, declineHit, proposeRelease } from '../../people/screening/decide-hit.ts';
import { getHit, type ScreeningHit } from '../../people/screening/read-screening.ts';
import { isHeld } from '../../people/screening/screen-parties.ts';
import type { Config } from '../../platform/config/config.ts';
import {
  clearReviewIn,
  declineReviewIn,
  lockReview,
} from '../../sales/checkout/checkout-review.ts';
import { approveOrder } from '../../sales/orders/manual-review.ts';
import { lockOrderById } from '../../sales/orders/move-order.ts';
import type { OrderStatus } from '../../sales/orders/order.ts';
import { SCREENED_STATUSES, SCREENING_REVIEW } from '../../sales/orders/screen-order.ts';
import { refundOrder } from '../../sales/refunds/refund-order.ts';

type Scope = { db: Database; config: Config };

/** Proposes to release a match; a second person must confirm. @throws not_found, conflict (invalid_state) */
export async function proposeScreeningRelease(
  scope: Scope,
  actor: string,
  given: { hitId: string; reason: string },
): Promise<ScreeningHit> {
  await scope.db.transact((uow) => proposeRelease(uow, actor, given));
  return getHit(scope, given.hitId);
}

/**
 * Releases a match, as the second of two people. If this was the last match of an order, purchase or domain, and
 * nothing else holds it, it continues. @throws not_found, conflict (invalid_state)
 */
export async function confirmScreeningRelease(
  scope: Scope,
  actor: string,
  hitId: string,
): Promise<ScreeningHit> {
  await inOrder(scope, hitId, async (uow) => {
    const hit = await confirmRelease(uow, actor, hitId);
    if (await isHeld(uow.sql, hit)) return;
    const { orderId, checkoutSessionId: sessionId, registrantChangeId: changeId } = hit;
    if (changeId !== null) await releaseChange(uow, changeId);
    else if (hit.domainRegistrantId !== null) {
      await releaseRegistrant(uow, actor, hit.domainRegistrantId);
    } else if (orderId !== null) {
      const { status, reviewReasons } = await lockOrderById(uow, orderId);
      if (status === 'MANUAL_REVIEW' && isAll(reviewReasons))
        await approveOrder(uow, scope, orderId);
    } else if (sessionId !== null) {
      const { status, reviewReasons } = await lockReview(uow, sessionId);
      if (status === 'open' && reviewReasons.length > 0 && isAll(reviewReasons)) {
        await clearReviewIn(uow, sessionId);
      }
    }
  });
  return getHit(scope, hitId);
}

/**
 * Declines a match: cancels or refunds its order, or declines its purchase; payouts to a payee, and the domain of a
 * registrant, stay held.
 * @throws not_found, conflict (invalid_state)
 */
export async function declineScreening(
  scope: Scope,
  actor: string,
  given: { hitId: string; reason: string },
): Promise<ScreeningHit> {
  await inOrder(scope, given.hitId, async (uow) => {
    const hit = await declineHit(uow, actor, given);
    const { orderId, checkoutSessionId: sessionId, registrantChangeId: changeId } = hit;
    if (changeId !== null) await declineChange(uow, changeId);
    else if (orderId !== null) {
      const { status } = await lockOrderById(uow, orderId);
      const open: readonly OrderStatus[] = SCREENED_STATUSES;
      if (!open.includes(status)) return;
      const kind = status === 'TRANSFER_IN_PROGRESS' ? 'by_state' : 'cancel';
      // The real reason stays with the hit, because partners can read the reasons of refunds.
      const reason = 'other' as const;
      await refundOrder(uow, { orderId, kind, reason, note: null, requestedBy: actor });
    } else if (sessionId !== null) {
      const { status, reviewReasons } = await lockReview(uow, sessionId);
      if (status === 'open' && reviewReasons.length > 0) await declineReviewIn(uow, sessionId);
    }
  });
  return getHit(scope, given.hitId);
}

const isAll = (reasons: readonly string[]) =>
  reasons.every((reason) => reason === SCREENING_REVIEW);

/** Locks the held object before the match, in the same order as when matches are found. */
async function inOrder(
  scope: Scope,
  hitId: string,
  work: (uow: UnitOfWork) => Promise<void>,
): Promise<void> {
  // What a match holds never changes, so it may be read before the transaction.
  const { orderId, checkoutSessionId, domainRegistrantId } = await getHit(scope, hitId);
  await scope.db.transact(async (uow) => {
    if (domainRegistrantId !== null) await lockLegalHolds(uow);
    if (orderId !== null) await lockOrderById(uow, orderId);
    if (checkoutSessionId !== null) await lockReview(uow, checkoutSessionId);
    await work(uow);
  });
}
