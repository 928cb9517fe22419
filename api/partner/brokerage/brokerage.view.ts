import type { BrokerageCase, CaseEntry } from '../../../shared/brokerage/brokerage-case.ts';

/** A case as its partner sees it. */
export function caseView(found: BrokerageCase) {
  return {
    case_id: found.id,
    domain: found.domain,
    tier: found.tier,
    status: found.status,
    budget_cents: found.budgetCents,
    latest_offer_cents: found.latestOfferCents,
    deal_price_cents: found.dealPriceCents,
    commission_cents: found.commissionCents,
    currency: found.currency,
    order_id: found.orderId,
    environment: found.environment,
    created_at: found.createdAt.toISOString(),
    updated_at: found.updatedAt.toISOString(),
    closed_at: found.closedAt?.toISOString() ?? null,
  };
}

/** The same with the buyer, the buyer's page, and the timeline. */
export function caseDetailView(
  { found, timeline }: { found: BrokerageCase; timeline: readonly CaseEntry[] },
  progressUrl: string,
) {
  return {
    ...caseView(found),
    buyer_email: found.buyerEmail,
    progress_url: progressUrl,
    timeline: timeline.map(({ at, status, event, by, amountCents }) => ({
      at: at.toISOString(),
      status,
      event,
      by,
      amount_cents: amountCents,
    })),
  };
}
