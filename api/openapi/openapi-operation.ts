import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../shared/platform/errors.ts';
import type { Deprecation } from '../http/deprecation.ts';
import type { RouteDefinition } from '../http/route-table.ts';
import { type Components, compact, type Json, pascalCase } from './openapi-components.ts';
import { type ErrorResponses, type HeaderName, headerRefs } from './openapi-responses.ts';

/** A route with everything its API knows about it. */
export interface DescribedRoute {
  route: RouteDefinition;
  tag: string;
  security: readonly Json[];
  /** What the caller needs, in one sentence. */
  needs: string;
  /** References to the header parameters. */
  headerParameters: readonly Json[];
  /** The headers of a response below 400. */
  headers: readonly HeaderName[];
  /** All error codes of the layers and of the handler. */
  errors: readonly ErrorCode[];
  deprecation: Deprecation | undefined;
  example: Example | undefined;
}

/** Names the request bodies and responses of a route, before anything is rendered. */
export function nameSchemas({ route }: DescribedRoute, components: Components): void {
  const base = pascalCase(route.operationId);
  if (route.body) components.name(route.body, `${base}Input`);
  for (const schema of Object.values(route.responses)) {
    if (schema) components.name(schema, `${base}Answer`);
  }
}

/** Builds the Operation Object of a route. */
export function operation(
  described: DescribedRoute,
  components: Components,
  errors: ErrorResponses,
): Json {
  const { route, deprecation, example } = described;
  const leaving = deprecation && !deprecation.parameter;
  return compact({
    operationId: route.operationId,
    summary: route.summary.replace(/\.$/, ''),
    description: [route.description, described.needs].filter(Boolean).join('\n\n'),
    tags: [described.tag],
    deprecated: leaving ? true : undefined,
    security: described.security,
    parameters: [
      ...parametersOf(route, components, { example, deprecated: deprecation?.parameter }),
      ...described.headerParameters,
    ],
    requestBody: route.body && requestBody(route.body, components, example),
    responses: { ...successes(described, components), ...errors.refs(described.errors) },
  });
}

function requestBody(body: TSchema, components: Components, example: Example | undefined): Json {
  const { required } = body as { required?: string[] };
  return {
    required: (required ?? []).length > 0,
    content: { 'application/json': media(components.render(body), example?.body) },
  };
}

function successes(described: DescribedRoute, components: Components): Json {
  const { route, example } = described;
  const headers = headerRefs([
    ...described.headers,
    'IgnoredParameters',
    ...(described.deprecation ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  ]);
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => {
      if (!schema) return [status, { description: 'Done. There is no body.', headers }];
      const shown = example?.status === Number(status) ? example.answer : undefined;
      const content: Json = { 'application/json': media(components.render(schema), shown) };
      for (const type of (status === '200' && route.alternatives) || []) {
        // A PDF has no schema, only its media type (OpenAPI 3.1, 4.8.14.3).
        content[type] = type === 'application/pdf' ? {} : { schema: { type: 'string' } };
      }
      return [status, { description: descriptionOf(schema), headers, content }];
    }),
  );
}

function media(schema: unknown, example: unknown): Json {
  return compact({ schema, example });
}

function descriptionOf(schema: TSchema): string {
  return (schema as { description?: string }).description ?? 'The answer.';
}

type Properties = Record<string, Json & { description?: string; default?: unknown }>;

/** Converts `/orders/:public_id` to `/orders/{public_id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** Returns the path and query parameters of a route. `deprecated` names a deprecated one. */
function parametersOf(
  route: RouteDefinition,
  components: Components,
  { example, deprecated }: { example: Example | undefined; deprecated: string | undefined },
): Json[] {
  const inPath = (route.params as { properties?: Properties } | undefined)?.properties ?? {};
  const named = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const query = route.query as { properties?: Properties; required?: string[] } | undefined;
  const parameter = (where: 'path' | 'query', name: string, schema: Json, required: boolean) => {
    const { description, ...rest } = schema;
    return compact({
      name,
      in: where,
      required,
      description,
      deprecated: name === deprecated ? true : undefined,
      schema: components.render(rest),
      example: (where === 'path' ? example?.params : example?.query)?.[name],
    });
  };
  return [
    ...named.map((name) => parameter('path', name, inPath[name] ?? { type: 'string' }, true)),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) => {
      // A default is filled in before the schema checks the value.
      const required = (query?.required?.includes(name) ?? false) && schema.default === undefined;
      return parameter('query', name, schema, required);
    }),
  ];
}

/** Describes the `Idempotency-Key` header of the calls that support it. */
export function idempotencyParameter({ required }: { required: boolean }): Json {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      'Unique to this operation, such as a UUID v4. For 30 days, the same key with the same body replays the stored response; with a different body it is a `conflict`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
}

/** A recorded request and its response. */
export interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  status: number;
  answer?: unknown;
}

/** Examples by operation id. */
export type Examples = Readonly<Record<string, Example>>;

const FILE = new URL('./examples.json', import.meta.url);

/** Reads the recorded examples of both APIs; a test records them again and compares. */
export function readExamples(): { public: Examples; partner: Examples } {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}
