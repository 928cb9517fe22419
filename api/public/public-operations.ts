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

/** A read that is available in a batch and as a tool: a route, called by name. */
export interface Operation {
  op: string;
  /** For people and for language models. */
  description: string;
  route: PublicRoute;
  /** Whether the response quotes text of third parties, which readers must not take for ours. */
  quotesOthers: boolean;
  /** What `params` may hold, whether it is part of the single call's path, query or body. */
  paramsSchema: ParamsSchema;
  /** Checks params as the single call does. @throws validation_error */
  check: (given: RequestParts) => RequestParts;
}

/** Every operation of `POST /batch` and every tool, one row each. */
export const operations: readonly Operation[] = [
  operation(
    'search_domain',
    searchDomainRoute,
    'Whether a domain or label is available and for how much, taken, or for sale, under its own TLD and others. Prices of owners are masked unless the caller is signed in.',
  ),
  operation(
    'tld_registration_price',
    getTldPricingRoute,
    'What it costs to register, renew, transfer or restore a name under a TLD, in US dollars, for the shortest term available.',
  ),
  operation(
    'tld_requirements',
    getTldMetadataRoute,
    'The registration requirements of a TLD: terms, organization and local presence, nameservers, labels, transfers and what happens after expiry.',
  ),
  operation(
    'whois_lookup',
    lookUpDomainRoute,
    'What the registry says about a domain: whether it is registered, its registrar, its registrant if published, dates, nameservers and states.',
    { quotesOthers: true },
  ),
  operation(
    'market_listings',
    listListingsRoute,
    'Domains for sale by their owners, one page at a time. Continue with next_cursor until it is null.',
  ),
];

/** Returns the operation of this name, if any. */
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

/** The response that the single call would give. */
export interface Outcome {
  status: number;
  body: unknown;
}

/** The input of an operation. */
export interface OperationCall {
  params: object;
  caller: PublicCaller;
  /** Taken from the limit group of the operation's route. */
  slot: RateLimitState;
  requestId: string;
}

/** Runs an operation and returns the response of its route; errors come in their envelope. Never throws. */
export async function runOperation(
  context: PublicContext,
  { route, check }: Operation,
  { params, caller, slot, requestId }: OperationCall,
): Promise<Outcome> {
  try {
    requireWithinLimit(slot);
    // A single call refuses unstorable text anywhere in its body, even in fields that it ignores.
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
 * Returns the schema of the one object that replaces path, query and body: the properties of all three. A parameter
 * with a default is optional.
 */
function paramsSchemaOf({ params, query, body }: RouteDefinition): ParamsSchema {
  const parts = [callerView(params), callerView(query), body as Partial<ParamsSchema> | undefined];
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part?.properties)),
    required: parts.flatMap((part) => part?.required ?? []),
  };
}

/** Makes parameters with a default optional: the checks fill in defaults before they look for required ones. */
function callerView(schema: TSchema | undefined): Partial<ParamsSchema> | undefined {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<ParamsSchema>;
  const asked = required.filter((name) => !('default' in (properties[name] ?? {})));
  return { properties, required: asked };
}
