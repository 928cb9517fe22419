import type { Schema } from './document.ts';

/** Schema names that have another meaning in TypeScript. */
const OTHER_NAMES: Readonly<Record<string, string>> = { Error: 'ErrorAnswer' };

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Returns the type name of a named schema. */
export function typeName(schemaName: string): string {
  return OTHER_NAMES[schemaName] ?? schemaName;
}

/** Returns the schema name in a `$ref`. */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Returns a schema as a TypeScript type; `indent` is the indentation of the enclosing line. */
export function typeText(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return typeName(nameOfRef(schema.$ref));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === undefined) {
    return schema.anyOf ? union(schema.anyOf.map((each) => typeText(each, indent))) : 'unknown';
  }
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return union(types.map((type) => ofType(type, schema, indent)));
}

/** Returns an object type `{ ... }` with one field per line. */
export function objectText(schema: Schema, indent = ''): string {
  const inner = `${indent}  `;
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...comment(descriptionOf(field), inner),
    `${inner}${name}${required.has(name) ? '' : '?'}: ${typeText(field, inner)}${required.has(name) ? '' : ' | undefined'};`,
  ]);
  return ['{', ...lines, `${indent}}`].join('\n');
}

/** Returns the description of a field; for a nullable field it is one level down. */
function descriptionOf({ description, anyOf = [] }: Schema): string | undefined {
  return description ?? anyOf.find((each) => each.description !== undefined)?.description;
}

/** Returns the lines of a documentation comment; none for an empty text. */
export function comment(text: string | undefined, indent = ''): string[] {
  if (!text) return [];
  const lines = text.replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

function ofType(type: string, schema: Schema, indent: string): string {
  if (type === 'array')
    return `Array<${schema.items ? typeText(schema.items, indent) : 'unknown'}>`;
  if (type !== 'object') return PLAIN[type] ?? 'unknown';
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values) return `Record<string, ${typeText(values, indent)}>`;
  const empty = Object.keys(schema.properties ?? {}).length === 0;
  return empty ? 'Record<string, unknown>' : objectText(schema, indent);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}
