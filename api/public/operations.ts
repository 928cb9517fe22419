import { inputChecker, type RequestParts } from '../http/route-table.ts';
import { listListingsRoute } from './listings/list-listings.ts';
import { type ParamsSchema, paramsSchemaOf } from './params-schema.ts';
import type { PublicRoute } from './route.ts';
import { searchDomainsRoute } from './search/search-domains.ts';
import { getTldMetadataRoute } from './tlds/get-tld-metadata.ts';
import { getTldPricingRoute } from './tlds/get-tld-pricing.ts';
import { lookUpDomainRoute } from './whois/look-up-domain.ts';

/** A read that a batch can hold and that is a tool as well; it is its route, called by name. */
export interface Operation {
  op: string;
  /** For people and for language models. */
  description: string;
  route: PublicRoute;
  /** What `params` may hold, whichever part of the single call it belongs to. */
  paramsSchema: ParamsSchema;
  /** The check of the single call. @throws validation_error */
  check: (given: RequestParts) => RequestParts;
}

/** Every operation of `POST /batch` and every tool, a row each. */
export const operations: readonly Operation[] = [
  operation(
    'search_domain',
    searchDomainsRoute,
    'Whether a domain or label can be registered and for how much, is taken, or is for sale; under its own TLD and its siblings. What owners ask is masked unless the caller signed in.',
  ),
  operation(
    'tld_registration_price',
    getTldPricingRoute,
    'What it costs to register, renew, transfer or restore a name under a TLD, in US dollars, for the shortest term that is sold.',
  ),
  operation(
    'tld_requirements',
    getTldMetadataRoute,
    'What a TLD asks of a registration: terms, organization and local presence, nameservers, labels, transfers and what follows expiry.',
  ),
  operation(
    'whois_lookup',
    lookUpDomainRoute,
    'What the registry tells of a domain: whether it is registered, its registrar, its registrant as far as published, dates, nameservers and states.',
  ),
  operation(
    'market_listings',
    listListingsRoute,
    'Domains that their owners sell on the aftermarket, a page at a time. Go on by next_cursor until it is null.',
  ),
];

/** The operation of this name, if there is one. */
export function operationNamed(op: string): Operation | undefined {
  return operations.find((each) => each.op === op);
}

function operation(op: string, route: PublicRoute, description: string): Operation {
  return {
    op,
    description,
    route,
    paramsSchema: paramsSchemaOf(route),
    check: inputChecker(route),
  };
}
