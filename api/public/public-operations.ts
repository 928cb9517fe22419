import type { TSchema } from 'typebox';
import { errorEnvelope, logFault, toServiceError } from '../http/error-response.ts';
import { refuseUnstorable } from '../http/json-body.ts';
import { type RateLimitState, requireWithinLimit } from '../http/rate-limit.ts';
import { inputChecker, type RequestParts, type RouteDefinition } from '../http/route-table.ts';
import { searchDomainRoute } from './domain-search-routes.ts';
import { listListingsRoute } from './listing-routes.ts';
import type { PublicCaller } from './public-caller.ts';
import type { PublicContext, PublicRoute } from './public-route.ts';
import { getTldMetadataRoute, getTldPricingRoute } from './tld-routes.ts';
import { lookUpDomainRoute } from './whois-routes.ts';

/** A read that a batch can hold and that is a tool as well; it is its route, called by name. */
export interface Operation {
  op: string;
  /** For people and for language models. */
  description: string;
  route: PublicRoute;
  /** Whether the answer quotes text of third parties, which the reader must not take for ours. */
  quotesOthers: boolean;
  /** What `params` may hold, whichever part of the single call it belongs to. */
  paramsSchema: ParamsSchema;
  /** The check of the single call. @throws validation_error */
  check: (given: RequestParts) => RequestParts;
}

/** Every operation of `POST /batch` and every tool, a row each. */
export const operations: readonly Operation[] = [
  operation(
    'search_domain',
    searchDomainRoute,
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
    { quotesOthers: true },
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

function operation(
  op: string,
  route: PublicRoute,
  description: string,
  { quotesOthers = false } = {},
): Operation {
  return {
    op,
    description,
    route,
    quotesOthers,
    paramsSchema: paramsSchemaOf(route),
    check: inputChecker(route),
  };
}

/** What the single call would answer. */
export interface Outcome {
  status: number;
  body: unknown;
}

/** How an operation is called. */
export interface OperationCall {
  params: object;
  caller: PublicCaller;
  /** Taken from the limit of the operation's route. */
  slot: RateLimitState;
  requestId: string;
}

/** Answers as the operation's route would, an error in its envelope. Never throws. */
export async function runOperation(
  context: PublicContext,
  { route, check }: Operation,
  { params, caller, slot, requestId }: OperationCall,
): Promise<Outcome> {
  try {
    requireWithinLimit(slot);
    // The body of a single call is refused for it as a whole, what it does not know included.
    if (route.body) refuseUnstorable(params);
    const parts = check({ params, query: params, body: params });
    const accept = 'application/json';
    const answer = await route.handler(context, { ...parts, caller, accept, requestId });
    return { status: answer.status, body: answer.body };
  } catch (thrown) {
    const error = toServiceError(thrown);
    logFault(context.log, error, {
      requestId,
      method: route.method,
      route: `/api${route.path}`,
    });
    return { status: error.status, body: errorEnvelope(error, requestId) };
  }
}

/** A JSON Schema of an object. */
interface ParamsSchema {
  type: 'object';
  properties: Record<string, TSchema>;
  required: string[];
}

/**
 * What a caller sends in one object instead of path, query and body: the properties of all three. A
 * parameter with a default may be left out.
 */
function paramsSchemaOf({ params, query, body }: RouteDefinition): ParamsSchema {
  const parts = [callerView(params), callerView(query), body as Partial<ParamsSchema> | undefined];
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part?.properties)),
    required: parts.flatMap((part) => part?.required ?? []),
  };
}

/** The checks fill in defaults before they look for what is required; a caller need not send those. */
function callerView(schema: TSchema | undefined): Partial<ParamsSchema> | undefined {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<ParamsSchema>;
  const asked = required.filter((name) => !('default' in (properties[name] ?? {})));
  return { properties, required: asked };
}
