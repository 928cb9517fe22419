import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { Availability, DomainQuery } from './discovery.schema.ts';
import { availabilityView } from './discovery.view.ts';

/** `GET /availability`: whether this partner can buy the domain now, and for how much. */
export const getAvailabilityRoute = partnerRoute({
  method: 'GET',
  path: '/v1/availability',
  operationId: 'getAvailability',
  summary: 'Ask whether a domain can be bought now. An unlisted one is unavailable, not an error.',
  description: 'Also 200, with `available: false`, for a domain that is sold, held or not listed.',
  scopes: ['search'],
  limit: 'search',
  query: DomainQuery,
  responses: { 200: Availability },
  async handler(context, { caller, query }) {
    const { ascii } = parseDomain(query.domain, '/domain');
    const listing = await context.findTerms({
      environment: caller.environment,
      domain: ascii,
    });
    return reply(200, availabilityView(ascii, listing, caller.partnerId));
  },
});
