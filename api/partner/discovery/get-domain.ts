import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { findListing } from '../../../shared/inventory/find-listing.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { DomainDetail, DomainParams } from './discovery.schema.ts';
import { domainView } from './discovery.view.ts';

/** `GET /domains/{name}`: all of one domain; 404 when it was never listed in this environment. */
export const getDomainRoute = partnerRoute({
  method: 'GET',
  path: '/v1/domains/:name',
  operationId: 'getDomain',
  summary: 'Read one domain: price, availability and metadata.',
  scopes: ['search'],
  limit: 'search',
  params: DomainParams,
  responses: { 200: DomainDetail },
  async handler(context, { caller, params }) {
    const { ascii } = parseDomain(params.name, '/name');
    const listing = await findListing(context, {
      environment: caller.environment,
      domain: ascii,
    });
    if (!listing) throw fail('not_found', { message: `${ascii} was never listed here.` });
    return reply(200, domainView(listing, caller.partnerId));
  },
});
