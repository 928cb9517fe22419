import { Type } from 'typebox';
import type { Database } from '../../../shared/messaging/unit-of-work/database.ts';
import { withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import {
  clearReview,
  declineReview,
  listReviews,
  lockReview,
} from '../../../shared/sales/checkout/checkout-review.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import {
  type ActionOf,
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  type OpsContext,
  opsAction,
  route,
} from '../ops-action.ts';

const BySession = Type.Object({
  session: Type.String({ description: 'Checkout session ID (cks_...).' }),
});

const checkoutReviewQueue = opsAction({
  name: 'checkout:review-queue',
  summary: 'List the purchases in review before payment, oldest first',
  columns: ['id', 'domain', 'price_cents', 'review_reasons', 'decide_by'],
  input: Type.Object({ limit: limitField() }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const { rows } = await listReviews(context, null, firstPage('oldest', limit));
    return {
      sessions: rows.map((review) => ({
        ...opsSessionView(review),
        review_reasons: review.reviewReasons,
        waiting_since: review.reviewSince.toISOString(),
        decide_by: review.expiresAt.toISOString(),
      })),
    };
  },
});

export const checkoutClear = decision(
  'checkout:clear',
  'Approve a purchase in review; its buyer has 24 hours to pay',
  clearReview,
);

export const checkoutDecline = decision(
  'checkout:decline',
  'Decline a purchase in review; nothing was charged',
  declineReview,
);

/** Defines an action that decides about one purchase and returns it. */
function decision(
  name: string,
  summary: string,
  decide: (deps: { db: Database }, sessionId: string) => Promise<CheckoutSession>,
): ActionOf<typeof BySession> {
  return opsAction({
    name,
    summary,
    input: BySession,
    async run(context: OpsContext, { session: id }) {
      const db = withAuditTrail(context, {
        actor: context.actor,
        action: name,
        subject: id,
        snapshot: async (uow) => {
          const { status, reviewReasons, clearedReasons } = await lockReview(uow, id);
          return { status, in_review_for: reviewReasons, cleared: clearedReasons };
        },
      });
      return opsSessionView(await decide({ db }, id));
    },
  });
}

function opsSessionView(session: CheckoutSession) {
  return {
    id: session.id,
    domain: session.domain,
    environment: session.environment,
    partner_id: session.partnerId,
    price_cents: session.price.amount,
    currency: session.price.currency,
    buyer_email: session.buyerEmail,
    buyer_country: session.buyerCountry,
  };
}

export const checkoutRoutes = [
  route('GET', '/checkout-reviews', 200, checkoutReviewQueue, EVERYONE, HARMLESS),
  route('POST', '/checkout-reviews/:session/clear', 200, checkoutClear, OPERATIONS, DANGEROUS),
  route('POST', '/checkout-reviews/:session/decline', 200, checkoutDecline, OPERATIONS, HARMLESS),
];
