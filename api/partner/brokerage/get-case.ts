import { progressUrl } from '../../../shared/brokerage/progress-link.ts';
import { getCase } from '../../../shared/brokerage/read-cases.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { CaseDetailView, CaseParams } from './brokerage.schema.ts';
import { caseDetailView } from './brokerage.view.ts';

/** `GET /brokerage/{case_id}`: one case with its timeline. */
export const getCaseRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage/:case_id',
  operationId: 'getCase',
  summary: 'Read a brokerage case with its timeline.',
  scopes: ['broker'],
  limit: 'reads',
  params: CaseParams,
  responses: { 200: CaseDetailView },
  async handler(context, { caller, params }) {
    const detail = await getCase(context, caller, params.case_id);
    return reply(200, caseDetailView(detail, await progressUrl(context, detail.found.id)));
  },
});
