import { Type } from 'typebox';
import { Instant } from '../../platform/json-schema.ts';
import { defineEvents } from '../event-types/event.ts';

const DisabledEndpoint = Type.Object(
  {
    id: Type.String({ description: 'The endpoint ID.' }),
    name: Type.String({ description: 'The name of the endpoint.' }),
    url: Type.String({ description: 'The URL of the endpoint.' }),
    disabled_reason: Type.Enum(['gone', 'failing'], {
      description: '`gone`: the endpoint answered 410. `failing`: it has failed for days.',
    }),
    disabled_at: { ...Instant, description: 'When the endpoint was disabled.' },
  },
  { title: 'DisabledEndpoint', description: 'The endpoint that was disabled.' },
);

/** Events about the delivery of events itself. */
export const WEBHOOK_EVENTS = {
  ...defineEvents(
    {
      about: 'endpoint',
      data: Type.Object({ endpoint: DisabledEndpoint }, { title: 'EndpointEventData' }),
    },
    {
      'webhook.endpoint_disabled': {
        when: 'An endpoint was disabled: it failed for days, or answered 410.',
        example: {
          endpoint: {
            id: 'whe_01k6q0v0zrf5bts0c4d6e8f9ga',
            name: 'default',
            url: 'https://partner.example/hooks',
            disabled_reason: 'failing',
            disabled_at: '2026-11-21T09:30:00.000Z',
          },
        },
      },
    },
  ),
  ...defineEvents(
    {
      about: 'partner',
      data: Type.Object({}, { title: 'PingEventData', description: 'Always empty.' }),
    },
    {
      'webhook.ping': {
        when: 'You requested a test event. It is not in the history.',
        example: {},
      },
    },
  ),
};
