import { COMMISSION_TYPES, type CommissionType } from '../../../shared/referral/commission.ts';
import { listReferredSales } from '../../../shared/referral/read-reports.ts';
import { cutPage, parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { SaleListQuery, SaleListView } from './referral.schema.ts';
import { saleView } from './referral.view.ts';

/** `GET /me/sales`: the sales that the affiliate's links led to, newest first. */
export const listSalesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/sales',
  operationId: 'listSales',
  summary: 'List the sales that your links led to, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: SaleListQuery,
  responses: { 200: SaleListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const paging = { limit, filters: ['me/sales', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const sales = await listReferredSales(context, caller, {
      ...parsePeriod(filters),
      states: parseEnumList<CommissionType>('/status', filters.status, COMMISSION_TYPES),
      linkId: filters.link_id ?? null,
      before: position && { soldAt: new Date(Number(position[0])), orderId: String(position[1]) },
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(
      context.cursors,
      sales,
      paging,
      ({ soldAt, orderId }) => [soldAt.getTime(), orderId],
    );
    return reply(200, { sales: page.map(saleView), next_cursor: nextCursor });
  },
});
