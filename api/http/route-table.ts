import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../../shared/platform/errors.ts';
import { onlyMethods } from './error-response.ts';
import { parseJsonBody, parseJsonObject, rawBodyOf, refuseUnstorable } from './json-body.ts';
import { bodyValidator, parameterValidator, type Validator } from './validate.ts';

/** What the rows of every API's table have in common. */
export interface RouteDefinition {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the place where the table is mounted, with `:name` for parameters. */
  path: string;
  /** Names the call in the API documents and in clients made from them; unique in its table. */
  operationId: string;
  /** One sentence on what it does. */
  summary: string;
  /** What the summary has no room for, in Markdown. */
  description?: string;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** Bodies over this are refused before anything reads them; 100,000 unless said. */
  maxBodyBytes?: number;
  /** The handler itself checks the parts of the body for text that cannot be stored. */
  checksTextInParts?: true;
  /** Status → schema of the answer; null for an empty one. */
  responses: Readonly<Record<number, TSchema | null>>;
  /** What else the 200 can be when `Accept` asks for it. */
  alternative?: 'text/csv' | 'application/x-ndjson' | 'text/event-stream';
  /** The codes of the handler itself, beside those that the layers before it answer everywhere. */
  errors?: readonly ErrorCode[];
}

/** The parts of a request that a row's schemas describe. */
export interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** The type that a row's schema describes. */
export type InputOf<S> = S extends TSchema ? Static<S> : Record<string, never>;

const MAX_BODY_BYTES = 100_000;

const rawBodyUpTo = (limit: number) => express.raw({ type: () => true, limit, inflate: false });
/** Reads a body as it came, up to 100 kB. */
export const rawBody = rawBodyUpTo(MAX_BODY_BYTES);

/** Puts every row on its path. A known path with another verb answers 405. */
export function mountRoutes<Row extends RouteDefinition>(
  router: Router,
  rows: readonly Row[],
  endpoint: (row: Row) => RequestHandler,
): void {
  for (const [path, here] of groupByPath(rows)) {
    const route = router.route(path);
    for (const row of here) {
      const method = row.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
      // A GET is signed without a body, and none that comes with one is read.
      if (row.method === 'GET') route.get(endpoint(row));
      else route[method](row.maxBodyBytes ? rawBodyUpTo(row.maxBodyBytes) : rawBody, endpoint(row));
    }
    route.all(onlyMethods(here.map((row) => row.method)));
  }
}

/** The rows of each path, in the order of the table. */
export function groupByPath<Row extends RouteDefinition>(rows: readonly Row[]): Map<string, Row[]> {
  const paths = new Map<string, Row[]>();
  for (const row of rows) paths.set(row.path, [...(paths.get(row.path) ?? []), row]);
  return paths;
}

/**
 * Reads what a row's schemas describe out of a request; parts without a schema are empty, and the answer will
 * name the query parameters that were ignored, refused or not.
 * @throws validation_error, unsupported_media_type
 */
export function inputReader(row: RouteDefinition): (req: Request, res: Response) => RequestParts {
  const tellIgnored = ignoredParametersReporter(row);
  const check = inputChecker(row);
  const parse = row.checksTextInParts ? parseJsonObject : parseJsonBody;
  return (req, res) => {
    const query = { ...req.query };
    tellIgnored(query, res);
    return check({
      params: req.params,
      query,
      body: row.body ? parse(rawBodyOf(req), req.get('Content-Type')) : undefined,
    });
  };
}

/**
 * Checks the parts of a request by a row's schemas; those without a schema become empty.
 * @throws validation_error
 */
export function inputChecker(row: RouteDefinition): (given: RequestParts) => RequestParts {
  const checkParams = optional(row.params, parameterValidator);
  const checkQuery = optional(row.query, parameterValidator);
  const checkBody = optional(row.body, bodyValidator);
  return ({ params, query, body }) => {
    const known = { params: knownOf(params, row.params), query: knownOf(query, row.query) };
    refuseUnstorable(known.query);
    refuseUnstorable(known.params);
    return {
      params: checkParams(known.params),
      query: checkQuery(known.query),
      body: row.body ? checkBody(body) : undefined,
    };
  };
}

/** The parameters that a row has; others are ignored, whatever is in them. */
function knownOf(all: unknown, schema: TSchema | undefined): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as { properties?: object };
  const given = Object(all) as Record<string, unknown>;
  const sent = Object.keys(properties).filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(sent.map((name) => [name, given[name]]));
}

function optional<S>(schema: S | undefined, compile: (schema: S) => Validator): Validator {
  return schema ? compile(schema) : () => ({});
}

export const IGNORED_PARAMETERS = 'X-Service-Ignored-Parameters';

/** A header that grows with the query would not pass every proxy. */
const MAX_LENGTH = 512;

/**
 * Names the query parameters that a row doesn't know, so that nobody takes an unfiltered answer for a filtered
 * one: `offset,minPrice`. Each name is percent-encoded; `...` at the end stands for names that found no room.
 */
export function ignoredParametersReporter(
  row: RouteDefinition,
): (query: object, res: Response) => void {
  const { properties = {} } = (row.query ?? {}) as { properties?: object };
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
