import { CASE_STATUSES, type CaseStatus } from '../../../shared/brokerage/case-states.ts';
import { listCases } from '../../../shared/brokerage/read-cases.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { CaseListQuery, CaseListView } from './brokerage.schema.ts';
import { caseView } from './brokerage.view.ts';

/** `GET /brokerage`: the partner's cases and how they ended, newest first. */
export const listCasesRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage',
  summary: 'List your brokerage cases and their outcomes, newest first.',
  scopes: ['report'],
  limit: 'reporting',
  query: CaseListQuery,
  responses: { 200: CaseListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const position = await context.cursors.read(cursor, ['brokerage', filters]);
    const cases = await listCases(context, caller, {
      ...parsePeriod(filters),
      statuses: parseStatuses(filters.status),
      before: position && { createdAt: new Date(Number(position[0])), id: String(position[1]) },
      limit: limit + 1,
    });
    const page = cases.slice(0, limit);
    const last = page.at(-1);
    const next =
      cases.length > limit && last
        ? await context.cursors.write([last.createdAt.getTime(), last.id], ['brokerage', filters])
        : null;
    return reply(200, { cases: page.map(caseView), next_cursor: next });
  },
});

function parseStatuses(text: string | undefined): CaseStatus[] | null {
  if (text === undefined) return null;
  return text.split(',').map((part) => {
    const status = CASE_STATUSES.find((known) => known === part.trim());
    if (status) return status;
    throw invalid([{ path: '/status', message: `must name any of ${CASE_STATUSES.join(', ')}` }]);
  });
}
