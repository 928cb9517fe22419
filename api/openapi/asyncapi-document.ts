import type { TSchema } from 'typebox';
import { ThinEvent } from '../../shared/messaging/event-types/event-schema.ts';
import { EVENTS } from '../partner/event-catalogue.ts';
import { deliveredEvent, exampleOf, thinExampleOf } from './event-messages.ts';
import { type Components, createComponents, type Json, mapValues } from './openapi-components.ts';
import type { DocumentOptions } from './openapi-document.ts';
import { HEADER_PARAMETERS } from './partner-document.ts';

const DESCRIPTION = `Every step of an order, a transfer and a brokerage case is an event. The service posts it to the endpoints that you register; the history (\`GET /api/partner/v1/events\`) has the same events.

Check the signature over the raw body before you parse it. An event can come more than once and out of order. Later versions may add fields and types: accept fields that you do not know, and respond with 200 to types that you do not handle.`;

/** The ways a receiver verifies that an event is genuine; either is enough. */
const SIGNATURES = {
  body: {
    type: 'httpApiKey',
    in: 'header',
    name: 'X-Service-Signature',
    description:
      'Lowercase hex HMAC-SHA256 of the raw body, keyed with the secret of the endpoint.',
  },
  standardWebhooks: {
    type: 'httpApiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'The signature of Standard Webhooks, which covers the ID and the time as well.',
  },
};

/** Builds the AsyncAPI 3.0 document of the events from their definitions. */
export function asyncApiDocument({ baseUrl }: Pick<DocumentOptions, 'baseUrl'>): Json {
  const components = createComponents();
  const messages = Object.fromEntries(
    EVENTS.map((definition) => [
      definition.type,
      message(components, {
        name: definition.type,
        summary: definition.when,
        schema: deliveredEvent(definition),
        examples: [exampleOf(definition)],
      }),
    ]),
  );
  const thin = message(components, {
    name: 'thin',
    summary: 'Any event without its data: read the subject for its current state.',
    schema: ThinEvent,
    examples: EVENTS.slice(0, 1).map(thinExampleOf),
  });
  const channels = {
    fullEvents: {
      description: 'The URL of an endpoint with `payload: full`, which is the default.',
      names: Object.keys(messages),
    },
    thinEvents: { description: 'The URL of an endpoint with `payload: thin`.', names: ['thin'] },
  };
  return {
    asyncapi: '3.0.0',
    id: `${baseUrl}/asyncapi.json`,
    info: {
      title: 'Domain marketplace: events',
      version: '1.0.0',
      description: DESCRIPTION,
      externalDocs: { url: `${baseUrl}/docs/webhooks` },
    },
    defaultContentType: 'application/json',
    // Without an address: partners choose it.
    channels: mapValues(channels, ({ description, names }) => ({
      description,
      messages: Object.fromEntries(
        names.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
      ),
    })),
    operations: Object.fromEntries(
      Object.entries(channels).map(([channel, { names }]) => [
        `send${channel.charAt(0).toUpperCase()}${channel.slice(1)}`,
        {
          action: 'send',
          channel: { $ref: `#/channels/${channel}` },
          summary: 'Post each event to the endpoint until it responds with 2xx within 5 seconds.',
          security: Object.keys(SIGNATURES).map((name) => ({
            $ref: `#/components/securitySchemes/${name}`,
          })),
          bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
          messages: names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
        },
      ]),
    ),
    components: {
      messages: { ...messages, thin },
      messageTraits: { delivery: { headers: headersSchema() } },
      schemas: components.schemas(),
      securitySchemes: SIGNATURES,
    },
  };
}

function message(
  components: Components,
  about: { name: string; summary: string; schema: TSchema; examples: readonly object[] },
): Json {
  const { name, summary, schema, examples } = about;
  return {
    name,
    title: name,
    summary,
    contentType: 'application/json',
    payload: components.render(schema),
    correlationId: { location: '$message.header#/X-Service-Event-Id' },
    traits: [{ $ref: '#/components/messageTraits/delivery' }],
    examples: examples.map((payload) => ({ payload })),
  };
}

function headersSchema(): Json {
  return {
    type: 'object',
    required: HEADER_PARAMETERS.map(({ name }) => name),
    properties: Object.fromEntries(
      HEADER_PARAMETERS.map(({ name, description, schema }) => [
        name,
        { ...(schema as Json), description },
      ]),
    ),
  };
}
