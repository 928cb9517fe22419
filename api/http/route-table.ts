import type { Request, RequestHandler, Response, Router } from 'express';
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../../shared/platform/errors.ts';
import { onlyMethods } from './error-response.ts';
import {
  MAX_BODY_BYTES,
  parseJsonBody,
  parseJsonObject,
  rawBodyOf,
  rawBodyUpTo,
  refuseUnstorable,
} from './json-body.ts';
import type { Reply } from './reply.ts';
import { bodyValidator, parameterValidator, queryValidator, type Validator } from './validate.ts';

/** What the routes of all APIs have in common. */
export interface RouteDefinition {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to where the table is mounted, with `:name` for parameters. */
  path: string;
  /** Names the call in the API documents and in generated clients; unique in its table. */
  operationId: string;
  /** One sentence about what it does. */
  summary: string;
  /** More details, in Markdown. */
  description?: string;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** Larger bodies are refused before they are read. Defaults to 100,000. */
  maxBodyBytes?: number;
  /** The handler itself checks the parts of the body for text that cannot be stored. */
  checksTextInParts?: true;
  /** Status → response schema; null for an empty response. */
  responses: Readonly<Record<number, TSchema | null>>;
  /** Other media types of the 200 response, selected by `Accept`. */
  alternatives?: readonly AlternativeType[];
  /** Error codes of the handler, in addition to those of the layers before it. */
  errors?: readonly ErrorCode[];
}

/** A media type that a response can have instead of JSON. */
type AlternativeType =
  | 'text/csv'
  | 'application/pdf'
  | 'application/x-ndjson'
  | 'text/event-stream';

/** The parts of a request that a route's schemas describe. */
export interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** The type that a route's schema describes. */
type InputOf<S> = S extends TSchema ? Static<S> : Record<string, never>;

/** Returns the function that defines an API's routes. It types a handler's input by its route's schemas. */
export function routeDefiner<Route extends RouteDefinition, Context, Call>() {
  return <
    P extends TSchema | undefined = undefined,
    Q extends TSchema | undefined = undefined,
    B extends TSchema | undefined = undefined,
  >(
    route: Omit<Route, 'params' | 'query' | 'body' | 'handler'> & {
      params?: P;
      query?: Q;
      body?: B;
      handler(
        context: Context,
        call: Call & { params: InputOf<P>; query: InputOf<Q>; body: InputOf<B> },
      ): Promise<Reply>;
    },
  ): Route => route as unknown as Route;
}

type Mountable = Pick<RouteDefinition, 'method' | 'path' | 'maxBodyBytes'>;

/**
 * Mounts every route. A known path with another method responds with 405; `alsoServed` are methods by path that work
 * there without a route of the table.
 */
export function mountRoutes<Route extends Mountable>(
  router: Router,
  routes: readonly Route[],
  endpoint: (route: Route) => RequestHandler,
  alsoServed: Readonly<Record<string, readonly string[]>> = {},
): void {
  for (const [path, here] of groupByPath(routes)) {
    const mounted = router.route(path);
    for (const route of here) {
      const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
      // A GET is signed without a body; if a body is sent, it is not read.
      if (route.method === 'GET') mounted.get(endpoint(route));
      else mounted[method](rawBodyUpTo(route.maxBodyBytes ?? MAX_BODY_BYTES), endpoint(route));
    }
    const methods = here.map((route) => route.method);
    mounted.all(onlyMethods([...methods, ...(alsoServed[path] ?? [])]));
  }
}

/** Groups the routes by path, in the order of the table. */
export function groupByPath<Route extends Mountable>(
  routes: readonly Route[],
): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

/**
 * Returns a function that reads the parts of a request that the route's schemas describe; parts without a schema are
 * empty. It also lists ignored query parameters in a response header, even if the request is refused.
 * @throws validation_error, unsupported_media_type
 */
export function inputReader(route: RouteDefinition): (req: Request, res: Response) => RequestParts {
  const tellIgnored = ignoredParametersReporter(route);
  const check = inputChecker(route);
  const parse = route.checksTextInParts ? parseJsonObject : parseJsonBody;
  return (req, res) => {
    const query = { ...req.query };
    tellIgnored(query, res);
    return check({
      params: req.params,
      query,
      body: route.body ? parse(rawBodyOf(req), req.get('Content-Type')) : undefined,
    });
  };
}

/**
 * Returns a function that checks the parts of a request against a route's schemas; parts without one become empty.
 * @throws validation_error
 */
export function inputChecker(route: RouteDefinition): (given: RequestParts) => RequestParts {
  const checkParams = optional(route.params, parameterValidator);
  const checkQuery = optional(route.query, queryValidator);
  const checkBody = optional(route.body, bodyValidator);
  return ({ params, query, body }) => {
    const known = { params: knownOf(params, route.params), query: knownOf(query, route.query) };
    refuseUnstorable(known.query);
    refuseUnstorable(known.params);
    return {
      params: checkParams(known.params),
      query: checkQuery(known.query),
      body: route.body ? checkBody(body) : undefined,
    };
  };
}

/** Picks only the parameters that the schema has. */
function knownOf(all: unknown, schema: TSchema | undefined): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as { properties?: object };
  const given = Object(all) as Record<string, unknown>;
  const sent = Object.keys(properties).filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(sent.map((name) => [name, given[name]]));
}

function optional<S>(schema: S | undefined, compile: (schema: S) => Validator): Validator {
  return schema ? compile(schema) : () => ({});
}

const IGNORED_PARAMETERS = 'X-Service-Ignored-Parameters';

/** Limits the header's length, since some proxies reject long headers. */
const MAX_LENGTH = 512;

/**
 * Lists the query parameters that a route doesn't know, so that nobody takes an unfiltered response for a filtered one:
 * `offset,minPrice`. Each name is percent-encoded; a final `...` stands for names that did not fit.
 */
function ignoredParametersReporter(route: RouteDefinition): (query: object, res: Response) => void {
  const { properties = {} } = (route.query ?? {}) as { properties?: object };
  return (query, res) => {
    const ignored = Object.keys(query).filter(
      (name) => name !== '' && !Object.hasOwn(properties, name),
    );
    if (ignored.length > 0) res.setHeader(IGNORED_PARAMETERS, listed(ignored));
  };
}

function listed(names: readonly string[]): string {
  const fitting: string[] = [];
  let length = 0;
  for (const name of names) {
    const encoded = encodeURIComponent(name);
    length += encoded.length + 1;
    if (length > MAX_LENGTH) return [...fitting, '...'].join(',');
    fitting.push(encoded);
  }
  return fitting.join(',');
}
