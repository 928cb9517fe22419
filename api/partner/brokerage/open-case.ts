import { openCase } from '../../../shared/brokerage/open-case.ts';
import { progressUrl } from '../../../shared/brokerage/progress-link.ts';
import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { INVALID_CURRENCY, isCurrency, Money } from '../../../shared/platform/money.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { CaseInput, OpenedCaseView } from './brokerage.schema.ts';

/** `POST /brokerage`: opens a case; the answer has the address of the buyer's page. */
export const openCaseRoute = partnerRoute({
  method: 'POST',
  path: '/v1/brokerage',
  operationId: 'openCase',
  summary: 'Open a brokerage case for a buyer.',
  description: 'The buyer follows the case at `progress_url`, without an account.',
  scopes: ['broker'],
  limit: 'write',
  body: CaseInput,
  responses: { 201: OpenedCaseView },
  errors: ['conflict', 'not_eligible'],
  async handler(context, { caller, body }) {
    const opened = await openCase(context, caller, {
      domain: parseDomain(body.domain).ascii,
      tier: body.tier,
      buyerEmail: body.buyer_email,
      budget: new Money(body.budget, currencyOf(body.currency)),
    });
    return reply(201, {
      case_id: opened.id,
      domain: opened.domain,
      tier: opened.tier,
      status: opened.status,
      progress_url: await progressUrl(context, opened.id),
      created_at: opened.createdAt.toISOString(),
    });
  },
});

/** The schema knows the shape only; a deal in it is booked and paid out. */
function currencyOf(code = 'USD'): string {
  if (isCurrency(code)) return code;
  throw invalid([{ path: '/currency', message: INVALID_CURRENCY }]);
}
