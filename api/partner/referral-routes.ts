import {
  type ClickPeriod,
  type FunnelPeriod,
  type LinkStats,
  listCommissionLines,
  listLinks,
  listReferredSales,
  maskEmail,
  readClicks,
  readFunnel,
  type SalePosition,
  type SaleRow,
} from '../../shared/sales/referral/affiliate-report.ts';
import {
  COMMISSION_TYPES,
  type CommissionLine,
  type CommissionType,
} from '../../shared/sales/referral/commission.ts';
import { createLink } from '../../shared/sales/referral/create-referral-link.ts';
import { linkUrl, type ReferralLink } from '../../shared/sales/referral/referral-link.ts';
import {
  type CommissionPayout,
  listCommissionPayouts,
} from '../../shared/settlement/payouts/read-payouts.ts';
import { parseEnumList } from '../http/common-schemas.ts';
import { BY_ID, BY_NUMBER, BY_TIME, type PositionFormat, parsePeriod } from '../http/pagination.ts';
import { reply } from '../http/reply.ts';
import { type PartnerRoute, partnerRoute } from './partner-route.ts';
import {
  AnalyticsQuery,
  AnalyticsView,
  ClickQuery,
  ClickReport,
  CommissionListQuery,
  CommissionListView,
  LinkInput,
  LinkListQuery,
  LinkListView,
  LinkView,
  ReferralPayoutQuery,
  ReferralPayoutView,
  SaleListQuery,
  SaleListView,
} from './referral-schemas.ts';

/** `POST /links`: creates a tracked link. */
const createLinkRoute = partnerRoute({
  method: 'POST',
  path: '/v1/links',
  operationId: 'createLink',
  summary: 'Create a tracked link.',
  scopes: ['refer'],
  limit: 'write',
  body: LinkInput,
  errors: ['not_found'],
  responses: { 201: LinkView },
  async handler(context, { caller, body }) {
    const { sub_id: subId, ...input } = body;
    const link = await createLink(context, caller, { ...input, subId });
    return reply(201, linkView(context.config.baseUrl, link));
  },
});

/** `GET /links`: lists the affiliate's links with their results, newest first. */
const listLinksRoute = partnerRoute({
  method: 'GET',
  path: '/v1/links',
  operationId: 'listLinks',
  summary: 'List your links with their clicks and sales, newest first.',
  scopes: ['refer'],
  limit: 'reporting',
  query: LinkListQuery,
  responses: { 200: LinkListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['links', filters], BY_ID);
    const before = await cursors.read(cursor);
    const { rows, next } = await listLinks(context, caller, {
      kind: filters.kind ?? null,
      subId: filters.sub_id ?? null,
      before,
      limit,
    });
    const { baseUrl } = context.config;
    return reply(200, {
      links: rows.map((link) => linkStatsView(baseUrl, filters.currency, link)),
      next_cursor: await cursors.write(next),
    });
  },
});

/** `GET /me/clicks`: how often the affiliate's links were clicked. */
const getClicksRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/clicks',
  operationId: 'getClicks',
  summary: 'Read the clicks on your links: totals and a series.',
  scopes: ['report'],
  limit: 'reporting',
  query: ClickQuery,
  responses: { 200: ClickReport },
  async handler(context, { caller, query }) {
    const { interval } = query;
    const window = parsePeriod(query);
    const series = await readClicks(context, caller, { ...window, interval });
    return reply(200, {
      from: window.from?.toISOString() ?? null,
      to: window.to?.toISOString() ?? null,
      interval,
      totals: {
        clicks: series.reduce((sum, period) => sum + period.clicks, 0),
        unique_clicks: series.reduce((sum, period) => sum + period.uniqueClicks, 0),
      },
      series: series.map(clickPeriodView),
    });
  },
});

/** `GET /me/sales`: lists the sales from the affiliate's links, newest first. */
const listSalesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/sales',
  operationId: 'listSales',
  summary: 'List the sales from your links, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: SaleListQuery,
  responses: { 200: SaleListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['me/sales', filters], BY_SALE);
    const before = await cursors.read(cursor);
    const { rows, next } = await listReferredSales(context, caller, {
      ...parsePeriod(filters),
      states: parseEnumList<CommissionType>('/status', filters.status, COMMISSION_TYPES),
      linkId: filters.link_id ?? null,
      before,
      limit,
    });
    return reply(200, { sales: rows.map(saleView), next_cursor: await cursors.write(next) });
  },
});

const BY_SALE: PositionFormat<SalePosition> = {
  write: ({ soldAt, orderId }) => [soldAt.getTime(), orderId],
  read: ([soldAt, orderId]) => ({ soldAt: new Date(Number(soldAt)), orderId: String(orderId) }),
};

/** `GET /me/commissions`: the history of the affiliate's commissions, newest first. */
const listCommissionsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/commissions',
  operationId: 'listCommissions',
  summary: 'List the history of your commissions with the running balance, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: CommissionListQuery,
  responses: { 200: CommissionListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['me/commissions', filters], BY_NUMBER);
    const before = await cursors.read(cursor);
    const { rows, next } = await listCommissionLines(context, caller, {
      ...parsePeriod(filters),
      types: parseEnumList<CommissionType>('/type', filters.type, COMMISSION_TYPES),
      before,
      limit,
    });
    const next_cursor = await cursors.write(next);
    return reply(200, { commissions: rows.map(commissionView), next_cursor });
  },
});

/** `GET /me/payouts`: lists the affiliate's payouts, newest first. */
const listReferralPayoutsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/payouts',
  operationId: 'listReferralPayouts',
  summary: 'List the payouts of your commissions with the total paid, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: ReferralPayoutQuery,
  responses: { 200: ReferralPayoutView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['me/payouts', filters], BY_TIME);
    const before = await cursors.read(cursor);
    const { rows, next, totalPaidCents } = await listCommissionPayouts(context, caller, {
      ...parsePeriod(filters),
      currency: filters.currency,
      before,
      limit,
    });
    return reply(200, {
      payouts: rows.map(commissionPayoutView),
      total_paid_cents: totalPaidCents,
      currency: filters.currency,
      next_cursor: await cursors.write(next),
    });
  },
});

/** `GET /analytics`: the funnel from clicks to commission over a range of days. */
const getAnalyticsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/analytics',
  operationId: 'getAnalytics',
  summary: 'Read your funnel, GMV and commission over a range.',
  scopes: ['report'],
  limit: 'reporting',
  query: AnalyticsQuery,
  responses: { 200: AnalyticsView },
  async handler(context, { caller, query }) {
    const { interval, currency } = query;
    const window = parsePeriod(query);
    const { from, to, series } = await readFunnel(context, caller, {
      ...window,
      interval,
      currency,
    });
    const total = (field: Exclude<keyof FunnelPeriod, 'start'>) =>
      series.reduce((sum, period) => sum + period[field], 0);
    const clicks = total('clicks');
    const sales = total('sales');
    return reply(200, {
      from: from.toISOString(),
      to: to.toISOString(),
      funnel: {
        clicks,
        unique_clicks: total('uniqueClicks'),
        checkouts: total('checkouts'),
        sales,
      },
      conversion_rate: clicks === 0 ? 0 : Math.round((sales / clicks) * 10_000) / 10_000,
      gmv_cents: total('gmvCents'),
      commission_cents: total('commissionCents'),
      currency,
      series: series.map(funnelPeriodView),
    });
  },
});

/** The referral routes of the partner API. */
export const referralRoutes: readonly PartnerRoute[] = [
  createLinkRoute,
  listLinksRoute,
  getClicksRoute,
  listSalesRoute,
  listCommissionsRoute,
  listReferralPayoutsRoute,
  getAnalyticsRoute,
];

/** Returns a link as its affiliate sees it. */
function linkView(baseUrl: string, link: ReferralLink) {
  return {
    id: link.id,
    kind: link.kind,
    domain: link.domain,
    product: link.product,
    label: link.label,
    sub_id: link.subId,
    code: link.code,
    url: linkUrl(baseUrl, link.code),
    created_at: link.createdAt.toISOString(),
  };
}

/** Like {@link linkView}, with the link's results. */
function linkStatsView(baseUrl: string, currency: string, link: LinkStats) {
  const sums = link.sums.find((each) => each.currency === currency);
  return {
    ...linkView(baseUrl, link),
    clicks: link.clicks,
    unique_clicks: link.uniqueClicks,
    conversions: link.conversions,
    gmv_cents: sums?.gmvCents ?? 0,
    commission_cents: sums?.commissionCents ?? 0,
    currency,
  };
}

function clickPeriodView(period: ClickPeriod) {
  return { start: period.start, clicks: period.clicks, unique_clicks: period.uniqueClicks };
}

function funnelPeriodView(period: FunnelPeriod) {
  return {
    ...clickPeriodView(period),
    checkouts: period.checkouts,
    sales: period.sales,
    gmv_cents: period.gmvCents,
    commission_cents: period.commissionCents,
  };
}

/** Returns a referred sale; the buyer's email is masked. */
function saleView(sale: SaleRow) {
  return {
    order_id: sale.orderId,
    buyer: maskEmail(sale.buyerEmail),
    domain: sale.domain,
    amount_cents: sale.amountCents,
    commission_cents: sale.commissionCents,
    currency: sale.currency,
    link_id: sale.linkId,
    sub_id: sale.subId,
    status: sale.state,
    sold_at: sale.soldAt.toISOString(),
  };
}

function commissionView(line: CommissionLine) {
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

function commissionPayoutView(payout: CommissionPayout) {
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
