import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../shared/platform/error-catalogue.ts';
import type { Deprecation } from '../http/deprecation.ts';
import type { RouteDefinition } from '../http/route-table.ts';
import type { Components } from './components.ts';
import type { ErrorResponses } from './error-responses.ts';
import type { Example } from './examples.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { compact, type Json, pascalCase } from './json.ts';
import { parametersOf } from './parameters.ts';

/** A row of a table with all that its API knows about it. */
export interface DescribedRoute {
  row: RouteDefinition;
  tag: string | undefined;
  security: readonly Json[];
  /** What the caller needs, in a sentence. */
  needs: string;
  /** References to the parameters that are headers. */
  headerParameters: readonly Json[];
  /** The headers of an answer below 400. */
  headers: readonly HeaderName[];
  /** All that the layers and the handler can refuse with. */
  errors: readonly ErrorCode[];
  deprecation: Deprecation | undefined;
  example: Example | undefined;
}

/** Gives the bodies and answers of a row their names, before anything is rendered. */
export function nameSchemas({ row }: DescribedRoute, components: Components): void {
  const base = pascalCase(row.operationId);
  if (row.body) components.name(row.body, `${base}Input`);
  for (const schema of Object.values(row.responses)) {
    if (schema) components.name(schema, `${base}Answer`);
  }
}

/** The Operation Object of a row. */
export function operation(
  described: DescribedRoute,
  components: Components,
  errors: ErrorResponses,
): Json {
  const { row, deprecation, example } = described;
  const leaving = deprecation && !deprecation.parameter;
  return compact({
    operationId: row.operationId,
    summary: row.summary.replace(/\.$/, ''),
    description: [row.description, described.needs].filter(Boolean).join('\n\n'),
    tags: described.tag === undefined ? [] : [described.tag],
    deprecated: leaving ? true : undefined,
    security: described.security,
    parameters: [
      ...parametersOf(row, components, { example, deprecated: deprecation?.parameter }),
      ...described.headerParameters,
    ],
    requestBody: row.body && requestBody(row.body, components, example),
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
  const { row, example } = described;
  const headers = headerRefs([
    ...described.headers,
    'IgnoredParameters',
    ...(described.deprecation ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  ]);
  return Object.fromEntries(
    Object.entries(row.responses).map(([status, schema]) => {
      if (!schema) return [status, { description: 'Done; there is no body.', headers }];
      const shown = example?.status === Number(status) ? example.answer : undefined;
      const content: Json = { 'application/json': media(components.render(schema), shown) };
      if (row.alternative && status === '200') {
        content[row.alternative] = { schema: { type: 'string' } };
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
