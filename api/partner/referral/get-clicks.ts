import { readClicks } from '../../../shared/referral/read-reports.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { ClickQuery, ClickReport } from './referral.schema.ts';
import { clickPeriodView } from './referral.view.ts';

/** `GET /me/clicks`: how often the affiliate's links were followed. */
export const getClicksRoute = partnerRoute({
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
