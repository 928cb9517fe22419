import type { BrokerageCase, CaseEntry } from '../../../shared/brokerage/brokerage-case.ts';

/** A case as its partner sees it. */
export function caseView(found: BrokerageCase) {
  return {
    case_id: found.id,
    domain: found.domain,
    tier: found.tier,
    status: found.status,
    budget_cents: found.budget.amount,
    latest_offer_cents: found.latestOffer?.amount ?? null,
    deal_price_cents: found.dealPrice?.amount ?? null,
    commission_cents: found.commission?.amount ?? null,
    currency: found.budget.currency,
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
    timeline: timeline.map(({ at, status, event, by, amount }) => ({
      at: at.toISOString(),
      status,
      event,
      by,
      amount_cents: amount?.amount ?? null,
    })),
  };
}
