import { checkEligibility } from '../../../shared/brokerage/check-eligibility.ts';
import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { EligibilityQuery, EligibilityView } from './brokerage.schema.ts';

/** `GET /brokerage/eligibility`: whether a domain can be brokered, and why not. */
export const getEligibilityRoute = partnerRoute({
  method: 'GET',
  path: '/v1/brokerage/eligibility',
  operationId: 'getEligibility',
  summary: 'Ask whether a domain can be brokered.',
  description:
    'No domain is eligible that is listed here, runs an active site, has an open case, is not registered, or is under a suffix that is not served.',
  scopes: ['broker'],
  limit: 'reads',
  query: EligibilityQuery,
  responses: { 200: EligibilityView },
  async handler(context, { caller, query }) {
    const domain = parseDomain(query.domain).ascii;
    const { eligible, reasons } = await checkEligibility(context, caller.environment, domain);
    return reply(200, { domain, eligible, reasons });
  },
});
