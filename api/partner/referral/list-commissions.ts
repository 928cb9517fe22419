import { COMMISSION_TYPES, type CommissionType } from '../../../shared/referral/commission.ts';
import { listCommissionLines } from '../../../shared/referral/read-reports.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { wordsOf } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { CommissionListQuery, CommissionListView } from './referral.schema.ts';
import { commissionView } from './referral.view.ts';

/** `GET /me/commissions`: the history of what the affiliate is owed, newest first. */
export const listCommissionsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/me/commissions',
  summary: 'List the history of your commissions with the running balance, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: CommissionListQuery,
  responses: { 200: CommissionListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const position = await context.cursors.read(cursor, ['me/commissions', filters]);
    const lines = await listCommissionLines(context, caller, {
      ...parsePeriod(filters),
      types: wordsOf<CommissionType>('/type', filters.type, COMMISSION_TYPES),
      before: position && Number(position[0]),
      limit: limit + 1,
    });
    const page = lines.slice(0, limit);
    const last = page.at(-1);
    const next =
      lines.length > limit && last
        ? await context.cursors.write([last.position], ['me/commissions', filters])
        : null;
    return reply(200, { commissions: page.map(commissionView), next_cursor: next });
  },
});
