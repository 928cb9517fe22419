import { listOperationsRoute } from './batch/list-operations.ts';
import { runBatchRoute } from './batch/run-batch.ts';
import { bulkRoutes } from './bulk/routes.ts';
import { listDomainsRoute } from './domains/list-domains.ts';
import { listListingsRoute } from './listings/list-listings.ts';
import type { PublicRoute } from './route.ts';
import { searchDomainsRoute } from './search/search-domains.ts';
import { getTldMetadataRoute } from './tlds/get-tld-metadata.ts';
import { getTldPricingRoute } from './tlds/get-tld-pricing.ts';
import { listTldsRoute } from './tlds/list-tlds.ts';
import { lookUpDomainRoute } from './whois/look-up-domain.ts';

/** The whole public API, a row an endpoint. */
export const publicRoutes: readonly PublicRoute[] = [
  searchDomainsRoute,
  lookUpDomainRoute,
  getTldPricingRoute,
  listTldsRoute,
  getTldMetadataRoute,
  listListingsRoute,
  runBatchRoute,
  listOperationsRoute,
  listDomainsRoute,
  ...bulkRoutes,
];
