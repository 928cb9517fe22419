import { COMMISSION_TYPES, type CommissionType } from '../../../shared/referral/commission.ts';
import { listReferredSales } from '../../../shared/referral/read-reports.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { wordsOf } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { SaleListQuery, SaleListView } from './referral.schema.ts';
import { saleView } from './referral.view.ts';

/** `GET /me/sales`: the sales that the affiliate's links led to, newest first. */
export const listSalesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/sales',
  summary: 'List the sales that your links led to, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: SaleListQuery,
  responses: { 200: SaleListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const position = await context.cursors.read(cursor, ['me/sales', filters]);
    const sales = await listReferredSales(context, caller, {
      ...parsePeriod(filters),
      states: wordsOf<CommissionType>('/status', filters.status, COMMISSION_TYPES),
      linkId: filters.link_id ?? null,
      before: position && { soldAt: new Date(Number(position[0])), orderId: String(position[1]) },
      limit: limit + 1,
    });
    const page = sales.slice(0, limit);
    const last = page.at(-1);
    const next =
      sales.length > limit && last
        ? await context.cursors.write([last.soldAt.getTime(), last.orderId], ['me/sales', filters])
        : null;
    return reply(200, { sales: page.map(saleView), next_cursor: next });
  },
});
