import type { ErrorCode } from '../../shared/platform/errors.ts';
import type { Deprecation } from '../http/deprecation.ts';
import type { RouteDefinition } from '../http/route-table.ts';
import { type Components, compact, createComponents, type Json } from './openapi-components.ts';
import { type DescribedRoute, nameSchemas, operation, templateOf } from './openapi-operation.ts';
import {
  createErrorResponses,
  type ErrorResponses,
  ErrorSchema,
  HEADERS,
  type HeaderName,
} from './openapi-responses.ts';
import { type Tag, tagObjects } from './openapi-tags.ts';

/** What a document depends on besides the code. */
export interface DocumentOptions {
  /** The service's URL, without a trailing slash. */
  baseUrl: string;
  deprecations: readonly Deprecation[];
}

/** The parts of a document that describe the whole API. */
export interface ApiDescription {
  title: string;
  description: string;
  /** The service's URL. */
  baseUrl: string;
  /** The prefix of every route's path, such as `/api/partner`. */
  mountedAt: string;
  tags: readonly Tag[];
  securitySchemes: Json;
  /** Header parameters that calls refer to. */
  parameters: Json;
  headersOfError: (status: number) => readonly HeaderName[];
  /** Paths that are not in the route table. */
  morePaths?: (components: Components, errors: ErrorResponses) => Json;
  webhooks?: (components: Components) => Json;
}

/** Builds an OpenAPI 3.1 document from a table of routes. */
export function buildDocument(routes: readonly DescribedRoute[], api: ApiDescription): Json {
  const components = createComponents();
  const errors = createErrorResponses(api.headersOfError);
  components.render(ErrorSchema);
  for (const route of routes) nameSchemas(route, components);

  const paths: Record<string, Json> = {};
  for (const described of routes) {
    const { method, path } = described.route;
    const item = { [method.toLowerCase()]: operation(described, components, errors) };
    const whole = api.mountedAt + templateOf(path);
    paths[whole] = { ...paths[whole], ...item };
  }
  const morePaths = api.morePaths?.(components, errors) ?? {};
  const webhooks = api.webhooks?.(components);
  const used = JSON.stringify([paths, morePaths, webhooks]);
  const document = {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: '1.0.0',
      description: api.description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: api.baseUrl }],
    tags: tagObjects(api.tags.filter(({ name }) => used.includes(`"tags":["${name}"]`))),
    paths: { ...paths, ...morePaths },
    webhooks,
    components: {
      schemas: components.schemas(),
      responses: errors.responses(),
      parameters: api.parameters,
      securitySchemes: api.securitySchemes,
    },
  };
  return compact({
    ...document,
    components: { ...document.components, headers: headersIn(document) },
  });
}

/** Returns the error codes of the layers before a handler, in both APIs. */
export function commonErrors(route: RouteDefinition): ErrorCode[] {
  const query = (route.query as { properties?: object } | undefined)?.properties ?? {};
  const byCursor = 'cursor' in query || 'after_id' in query;
  return [
    'validation_error',
    ...(byCursor ? (['invalid_cursor'] as const) : []),
    ...(route.path.includes(':') ? (['not_found'] as const) : []),
    ...(route.body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    'rate_limited',
    'internal_error',
    'service_unavailable',
  ];
}

/** Returns the headers that the document references. */
function headersIn(document: Json): Json {
  const text = JSON.stringify(document);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}
