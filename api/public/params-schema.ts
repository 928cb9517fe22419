import type { TSchema } from 'typebox';
import type { RouteDefinition } from '../http/route-table.ts';

/** A JSON Schema of an object. */
export interface ParamsSchema {
  type: 'object';
  properties: Record<string, TSchema>;
  required: string[];
}

/**
 * What a caller sends in one object instead of path, query and body: the properties of all three. A
 * parameter with a default may be left out.
 */
export function paramsSchemaOf({ params, query, body }: RouteDefinition): ParamsSchema {
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
