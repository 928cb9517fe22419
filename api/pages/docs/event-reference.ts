import { type TSchema, Type } from 'typebox';
import type { EventDefinition } from '../../../shared/messaging/event-types/event.ts';
import { deliveredFields, ThinEvent } from '../../../shared/messaging/event-types/event-schema.ts';
import { exampleOf, thinExampleOf } from '../../openapi/event-messages.ts';
import { EVENTS } from '../../partner/event-catalogue.ts';
import { slugOf } from './markdown.ts';

const FAMILIES: Readonly<Record<string, string>> = {
  order: 'Orders',
  transfer: 'Transfers',
  brokerage: 'Brokerage cases',
  webhook: 'Webhooks',
};

const DATA = Type.Object({}, { description: 'More about it; the fields depend on the type.' });

/** The parts of a schema that the field list uses. */
interface Schema {
  type?: string;
  description?: string;
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}

/** Returns the Markdown of `/docs/events`, from the event definitions. */
export function eventReference(): string {
  const [first] = EVENTS;
  if (!first) return '';
  return `# Event types

Your endpoints receive these events, and \`GET /v1/events\` has them without \`partner_id\`. [Webhooks and events](webhooks.md) explains how to receive and verify them.

The same as an AsyncAPI 3.0 document with JSON Schemas: [/asyncapi.json](/asyncapi.json). The [SDK](../sdk/README.md#webhooks) has a type for each event.

Later versions may add fields and types. Ignore those that you do not know.

## Every event

${fieldTable(Type.Object({ ...deliveredFields(first), data: DATA }), '', 1)}

No event carries personal data of a buyer.

### Thin payloads

An endpoint with \`payload: thin\` gets \`subject\` instead of \`data\`: ${lowerFirst(descriptionIn(ThinEvent, 'subject'))}

${json(thinExampleOf(first))}

${Object.entries(FAMILIES).map(familyText).join('\n')}`;
}

function familyText([prefix, title]: readonly [string, string]): string {
  const events = EVENTS.filter(({ type }) => type.startsWith(`${prefix}.`));
  const parts = events.map((event) => {
    const first = events.find(({ data }) => data === event.data) ?? event;
    return eventText(event, first);
  });
  return `## ${title}\n\n${parts.join('\n')}`;
}

/** Returns the section of an event; its fields are listed at the first event of its family with the same fields. */
function eventText(event: EventDefinition, first: EventDefinition): string {
  const heading = `\`${event.type}\``;
  const fields =
    event === first
      ? fieldTable(event.data, 'data')
      : `The fields are those of [\`${first.type}\`](#${slugOf(first.type)}).`;
  return `### ${heading}

${event.when}
${fields && `\n${fields}\n`}
${json(exampleOf(event))}
`;
}

/** Returns a table of an object's fields, nested ones by their path; empty if it has none. */
function fieldTable(schema: TSchema, path: string, depth = Number.POSITIVE_INFINITY): string {
  const rows = fieldsOf(schema, path, depth);
  if (rows.length === 0) return '';
  const lines = rows.map((cells) => `|${cells.join('|')}|`);
  return ['|Field|Type|Meaning|', '|---|---|---|', ...lines].join('\n');
}

function fieldsOf(schema: Schema, path: string, depth: number): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (field.type === 'object' && depth > 1) return fieldsOf(field, at, depth - 1);
    const optional = schema.required?.includes(name) ? '' : ', optional';
    const { description = field.anyOf?.find((each) => each.description)?.description ?? '' } =
      field;
    return [[`\`${at}\``, typeText(field) + optional, description]];
  });
}

function typeText(field: Schema): string {
  if (field.const !== undefined) return 'string';
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(', ');
  if (field.anyOf) return field.anyOf.map(typeText).join(' or ');
  return field.format === 'date-time' ? 'timestamp' : (field.type ?? 'any');
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function descriptionIn(schema: Schema, name: string): string {
  return schema.properties?.[name]?.description ?? '';
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
