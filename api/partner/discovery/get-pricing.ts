import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { DomainQuery, Pricing } from './discovery.schema.ts';
import { pricingView } from './discovery.view.ts';

/** `GET /pricing`: buy-now and floor price; 404 unless the domain is listed. */
export const getPricingRoute = partnerRoute({
  method: 'GET',
  path: '/v1/pricing',
  operationId: 'getPricing',
  summary: 'Read the buy-now and floor price of a listed domain.',
  scopes: ['search'],
  limit: 'search',
  query: DomainQuery,
  responses: { 200: Pricing },
  errors: ['not_found'],
  async handler(context, { caller, query }) {
    const { ascii } = parseDomain(query.domain, '/domain');
    const listing = await context.findTerms({
      environment: caller.environment,
      domain: ascii,
    });
    if (listing?.status !== 'listed')
      throw fail('not_found', { message: `${ascii} is not listed.` });
    return reply(200, pricingView(listing));
  },
});
