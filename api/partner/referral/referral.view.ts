import type { CommissionPayout } from '../../../shared/payouts/read-commission-payouts.ts';
import type { CommissionLine } from '../../../shared/referral/commission.ts';
import { maskEmail } from '../../../shared/referral/mask-email.ts';
import type { LinkStats } from '../../../shared/referral/read-links.ts';
import type { ClickPeriod, FunnelPeriod, SaleRow } from '../../../shared/referral/read-reports.ts';
import { linkUrl, type ReferralLink } from '../../../shared/referral/referral-link.ts';

/** A link as its affiliate sees it. */
export function linkView(baseUrl: string, link: ReferralLink) {
  return {
    id: link.id,
    kind: link.kind,
    domain: link.domain,
    product: link.product,
    label: link.label,
    code: link.code,
    url: linkUrl(baseUrl, link.code),
    created_at: link.createdAt.toISOString(),
  };
}

/** The same with what came of it. */
export function linkStatsView(baseUrl: string, currency: string, link: LinkStats) {
  return {
    ...linkView(baseUrl, link),
    clicks: link.clicks,
    unique_clicks: link.uniqueClicks,
    conversions: link.conversions,
    gmv_cents: link.gmvCents,
    commission_cents: link.commissionCents,
    currency,
  };
}

export function clickPeriodView(period: ClickPeriod) {
  return { start: period.start, clicks: period.clicks, unique_clicks: period.uniqueClicks };
}

export function funnelPeriodView(period: FunnelPeriod) {
  return {
    ...clickPeriodView(period),
    checkouts: period.checkouts,
    sales: period.sales,
    gmv_cents: period.gmvCents,
    commission_cents: period.commissionCents,
  };
}

/** A referred sale; who bought is only hinted at. */
export function saleView(sale: SaleRow) {
  return {
    order_id: sale.orderId,
    buyer: maskEmail(sale.buyerEmail),
    domain: sale.domain,
    amount_cents: sale.amountCents,
    commission_cents: sale.commissionCents,
    currency: sale.currency,
    link_id: sale.linkId,
    status: sale.state,
    sold_at: sale.soldAt.toISOString(),
  };
}

export function commissionView(line: CommissionLine) {
  return {
    id: line.id,
    type: line.type,
    amount_cents: line.amount.amount,
    balance_cents: line.balance.amount,
    currency: line.amount.currency,
    order_id: line.orderId,
    created_at: line.createdAt.toISOString(),
  };
}

export function commissionPayoutView(payout: CommissionPayout) {
  return {
    id: payout.id,
    source: 'referral',
    amount_cents: payout.amount.amount,
    currency: payout.amount.currency,
    status: payout.status,
    reference: payout.reference,
    created_at: payout.createdAt.toISOString(),
    paid_at: payout.paidAt?.toISOString() ?? null,
  };
}
