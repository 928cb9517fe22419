import type { ApiDocument } from './document.ts';
import { inputParts } from './input-parts.ts';
import type { ReadOperation } from './read-operations.ts';
import { comment, nameOfRef, objectText, typeName, typeText } from './type-text.ts';

export const BANNER =
  '// Written by `npm run sdk:generate` out of the OpenAPI document of the partner API.\n';

/** Returns the types of every named schema, the method inputs, and the events. */
export function typesText(document: ApiDocument, operations: readonly ReadOperation[]): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const isObject = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
    const declaration = isObject
      ? `export interface ${typeName(name)} ${objectText(schema)}`
      : `export type ${typeName(name)} = ${typeText(schema)};`;
    return [...comment(schema.description), declaration].join('\n');
  });
  const inputs = operations.flatMap((operation) => {
    const { ownName, ownFields } = inputParts(operation);
    if (ownName === undefined) return [];
    return [
      `/** What \`${operation.name.resource}.${operation.name.verb}\` takes. */\nexport interface ${ownName} ${objectText(ownFields)}`,
    ];
  });
  return `${[BANNER, ...schemas, ...inputs, ...eventTypes(document)].join('\n')}\n`;
}

function eventTypes(document: ApiDocument): string[] {
  const { thin: _thin, ...webhooks } = document.webhooks;
  const events = Object.values(webhooks).map(({ post }) => {
    const ref = post.requestBody?.content['application/json']?.schema.$ref;
    if (ref === undefined) throw new Error(`${post.operationId} has no named body`);
    return typeName(nameOfRef(ref));
  });
  return [
    `/** An event as an endpoint with full payloads receives it; \`type\` tells which. */\nexport type WebhookEvent =\n${events.map((name) => `  | ${name}`).join('\n')};`,
    `/** An event as the history has it. */\nexport type HistoryEvent = EventList['events'][number];`,
    `export type EventType = WebhookEvent['type'];`,
    `/** The event of one type: \`EventOf<'order.settled'>\`. */\nexport type EventOf<T extends EventType> = Extract<WebhookEvent, { type: T }>;`,
    `/** The codes of all refusals; docs/errors.md says what to do about each. */\nexport type ErrorCode = ErrorAnswer['error']['code'];`,
  ];
}
