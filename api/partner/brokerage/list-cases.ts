import { CASE_STATUSES, type CaseStatus } from '../../../shared/brokerage/case-states.ts';
import { listCases } from '../../../shared/brokerage/read-cases.ts';
import { cutPage, parsePeriod, parseTimeCursor, timeCursor } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { CaseListQuery, CaseListView } from './brokerage.schema.ts';
import { caseView } from './brokerage.view.ts';

/** `GET /brokerage`: the partner's cases and how they ended, newest first. */
export const listCasesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage',
  operationId: 'listCases',
  summary: 'List your brokerage cases and their outcomes, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: CaseListQuery,
  responses: { 200: CaseListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const paging = { limit, filters: ['brokerage', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const cases = await listCases(context, caller, {
      ...parsePeriod(filters),
      statuses: parseEnumList<CaseStatus>('/status', filters.status, CASE_STATUSES),
      before: parseTimeCursor(position),
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, cases, paging, timeCursor);
    return reply(200, { cases: page.map(caseView), next_cursor: nextCursor });
  },
});
