import { COMMISSION_TYPES, type CommissionType } from '../../../shared/referral/commission.ts';
import { listCommissionLines } from '../../../shared/referral/read-reports.ts';
import { cutPage, parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { CommissionListQuery, CommissionListView } from './referral.schema.ts';
import { commissionView } from './referral.view.ts';

/** `GET /me/commissions`: the history of what the affiliate is owed, newest first. */
export const listCommissionsRoute = partnerRoute({
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
    const paging = { limit, filters: ['me/commissions', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const lines = await listCommissionLines(context, caller, {
      ...parsePeriod(filters),
      types: parseEnumList<CommissionType>('/type', filters.type, COMMISSION_TYPES),
      before: position && Number(position[0]),
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(
      context.cursors,
      lines,
      paging,
      ({ position: at }) => [at],
    );
    return reply(200, { commissions: page.map(commissionView), next_cursor: nextCursor });
  },
});
