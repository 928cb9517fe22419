import { type FunnelPeriod, readFunnel } from '../../../shared/referral/read-reports.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { AnalyticsQuery, AnalyticsView } from './referral.schema.ts';
import { funnelPeriodView } from './referral.view.ts';

/** `GET /analytics`: from clicks to commission over a range of days. */
export const getAnalyticsRoute = partnerRoute({
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
