import type { Json } from '../../../openapi/openapi-components.ts';

/** A JSON Schema, as far as our documents use it. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  title?: string;
  description?: string;
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: unknown }>>;
}

/** A request or response body, by media type. */
export type Content = Readonly<Record<string, Media>>;

interface ApiResponse {
  description: string;
  content?: Content;
}

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters: readonly Parameter[];
  body?: { required?: boolean; content: Content };
  responses: readonly (readonly [status: string, response: ApiResponse])[];
}

/** The operations of one subject, in document order. */
export interface Subject {
  name: string;
  description: string;
  operations: readonly Operation[];
}

/** Reads an OpenAPI document, following its references. */
export interface OpenApiReader {
  title: string;
  description: string;
  subjects: readonly Subject[];
  /** Returns the schema that a reference points to; any other schema unchanged. */
  resolve(schema: Schema): Schema;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Returns a reader for a document of ours, which is not validated. */
export function readOpenApi(document: Json): OpenApiReader {
  // biome-ignore lint/suspicious/noExplicitAny: read by the shapes above
  const { info, tags, paths, components } = document as any;
  const follow = <T extends object>(value: T): T => {
    if (!('$ref' in value)) return value;
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String(value.$ref)) ?? [];
    return components[kind][name];
  };
  const all = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      // biome-ignore lint/suspicious/noExplicitAny: read by the shapes above
      const found = (item as any)[method];
      return found ? [{ path, method: method.toUpperCase(), found }] : [];
    }),
  );
  const operations = all.map(({ path, method, found }) => ({
    tag: found.tags[0],
    operation: {
      ...found,
      path,
      method,
      parameters: (found.parameters ?? []).map(follow),
      body: found.requestBody && follow(found.requestBody),
      responses: Object.entries<ApiResponse>(found.responses).map(([status, response]) => [
        status,
        follow(response),
      ]),
    } as Operation,
  }));
  return {
    title: info.title,
    description: info.description,
    subjects: tags
      .map(({ name, description }: { name: string; description: string }) => ({
        name,
        description,
        operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation),
      }))
      .filter(({ operations: some }: Subject) => some.length > 0),
    resolve: follow,
  };
}
