import { html, type Markup } from '../../../../shared/platform/html.ts';
import { ONE_LINE } from '../../../../shared/platform/one-line.ts';
import { renderProse } from '../markdown.ts';
import type { OpenApiReader, Schema } from './openapi-reader.ts';

type Reader = Pick<OpenApiReader, 'resolve'>;

/** Fields of requests may be required; fields of responses may be missing. */
export type Direction = 'sent' | 'answered';

/** One field, parameter or header in a list. */
export interface ListedField {
  name: string;
  schema: Schema;
  required: boolean;
  /** Its location, such as `query`; none for a field of a body. */
  place?: string;
  description?: string | undefined;
}

/** Returns the fields of a schema, including nested ones; if it has none, a line about its type. */
export function schemaFields(schema: Schema, reader: Reader, direction: Direction): Markup {
  const fields = fieldsIn(schema, reader);
  if (fields.length > 0) return fieldList(fields, reader, direction);
  return html`<p>${typeText(schema, reader)}</p>\n`;
}

/** Returns a list of fields; `seen` are the enclosing schemas, which are not expanded again. */
export function fieldList(
  fields: readonly ListedField[],
  reader: Reader,
  direction: Direction,
  seen: readonly Schema[] = [],
): Markup {
  return html`<ul class="fields">
${fields.map((field) => listedField(field, reader, direction, seen))}</ul>
`;
}

function listedField(
  field: ListedField,
  reader: Reader,
  direction: Direction,
  seen: readonly Schema[],
): Markup {
  const { name, schema, required, place } = field;
  const resolved = reader.resolve(schema);
  const description = field.description ?? schema.description ?? descriptionIn(resolved);
  const inner = objectsIn(resolved, reader).filter((each) => !seen.includes(each));
  return html`<li>
<p class="name"><code>${name}</code> <span class="type">${typeText(schema, reader)}</span>${place && html` <span class="type">in ${place}</span>`}${required && direction === 'sent' && html` <span class="required">required</span>`}${!required && direction === 'answered' && html` <span class="type">optional</span>`}</p>
${description && renderProse(description)}${limitsOf(resolved)}${inner.map(
  (each) => html`<details><summary>Fields of <code>${name}</code>${
    inner.length > 1 && each.title && html`, ${each.title}`
  }</summary>
${fieldList(fieldsIn(each, reader), reader, direction, [...seen, each])}</details>
`,
)}</li>
`;
}

function fieldsIn(schema: Schema, reader: Reader): ListedField[] {
  const { properties = {}, required = [] } = reader.resolve(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    required: required.includes(name),
  }));
}

/** Returns the objects with fields that a value can be, or can have as elements. */
function objectsIn(schema: Schema, reader: Reader): Schema[] {
  const resolved = reader.resolve(schema);
  if (resolved.properties) return [resolved];
  const parts = [
    ...(resolved.anyOf ?? []),
    ...(resolved.items ? [resolved.items] : []),
    ...Object.values(resolved.patternProperties ?? {}),
  ];
  return parts.flatMap((part) => objectsIn(part, reader));
}

function descriptionIn({ description, anyOf = [] }: Schema): string | undefined {
  return description ?? anyOf.find((each) => each.description)?.description;
}

/** Describes the type of a value in words. */
function typeText(schema: Schema, reader: Reader): string {
  const { type, format, items, anyOf, ...rest } = reader.resolve(schema);
  if (rest.const !== undefined) return JSON.stringify(rest.const);
  if (rest.enum) return rest.enum.map((value) => JSON.stringify(value)).join(', ');
  if (anyOf) return [...new Set(anyOf.map((each) => typeText(each, reader)))].join(' or ');
  if (type === 'array') return items ? `array of ${typeText(items, reader)}` : 'array';
  if (format === 'date-time') return 'timestamp';
  return String(type ?? format ?? 'any');
}

function limitsOf(schema: Schema): Markup | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const oneLine = pattern === ONE_LINE;
  const limits = [
    between(minimum, maximum, ''),
    between(minLength, maxLength, ' characters'),
    between(minItems, maxItems, ' elements'),
    oneLine && 'one line',
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  const shown = oneLine ? undefined : pattern;
  if (limits.length === 0 && !shown) return undefined;
  return html`<p class="limits">${limits.join('; ')}${shown && html`${limits.length > 0 && '; '}matches <code>${shown}</code>`}</p>
`;
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `at most ${most}${unit}`;
  if (most === undefined) return `at least ${least}${unit}`;
  return `${least} to ${most}${unit}`;
}
