import type { RouteDefinition } from '../http/route-table.ts';
import type { Components } from './components.ts';
import type { Example } from './examples.ts';
import { compact, type Json } from './json.ts';

type Properties = Record<string, Json & { description?: string; default?: unknown }>;

/** `/orders/:public_id` as `/orders/{public_id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** The path and query parameters of a row. `deprecated` names one that will go. */
export function parametersOf(
  row: RouteDefinition,
  components: Components,
  { example, deprecated }: { example: Example | undefined; deprecated: string | undefined },
): Json[] {
  const inPath = (row.params as { properties?: Properties } | undefined)?.properties ?? {};
  const named = [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const query = row.query as { properties?: Properties; required?: string[] } | undefined;
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
      // A default is filled in before the schema sees the value.
      const required = (query?.required?.includes(name) ?? false) && schema.default === undefined;
      return parameter('query', name, schema, required);
    }),
  ];
}
