import { Type } from 'typebox';
import { EVENT_TYPES } from '../../../shared/events/event.ts';
import { DELIVERY_STATUSES } from '../../../shared/webhooks/delivery.ts';
import {
  MAX_SECRET_LENGTH,
  MAX_URL_LENGTH,
  MIN_SECRET_LENGTH,
} from '../../../shared/webhooks/register-endpoint.ts';
import { PageQuery } from '../../http/pagination.ts';
import { Instant, nullable } from '../../http/schema.ts';

export const EndpointInput = Type.Object(
  {
    url: Type.String({
      maxLength: MAX_URL_LENGTH,
      description: 'http or https (LIVE: https only), public, without credentials.',
    }),
    secret: Type.String({
      minLength: MIN_SECRET_LENGTH,
      maxLength: MAX_SECRET_LENGTH,
      description:
        'Signs every delivery. After `whsec_` it must be base64 of at least 24 bytes. Never shown again.',
    }),
  },
  {
    title: 'EndpointInput',
    examples: [
      { url: 'https://partner.example/hooks', secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' },
    ],
  },
);

export const RegisteredEndpoint = Type.Object(
  { url: Type.String(), active: Type.Boolean(), created_at: Instant },
  { title: 'RegisteredEndpoint', description: 'The endpoint as registered.' },
);

export const EndpointView = Type.Object(
  {
    url: Type.String(),
    active: Type.Boolean(),
    created_at: Instant,
    updated_at: Instant,
    disabled_reason: nullable(
      Type.Enum(['gone', 'failing'], {
        description: '`gone`: it answered 410. `failing`: nothing but failure for days.',
      }),
    ),
    failing_since: nullable(Instant),
    last_success_at: nullable(Instant),
    last_failure_at: nullable(Instant),
    previous_secret_until: nullable(Instant),
  },
  { title: 'Endpoint', description: 'The endpoint and its health.' },
);

const AttemptView = Type.Object({
  attempt: Type.Integer({ description: '1 for the first.' }),
  started_at: Instant,
  elapsed_ms: Type.Integer(),
  status_code: nullable(Type.Integer()),
  outcome: Type.String({ description: '`delivered`, or what went wrong.' }),
  detail: nullable(Type.String({ description: 'The failure in words, when there was no answer.' })),
  response_excerpt: nullable(Type.String({ description: 'The beginning of the answer.' })),
});

export const DeliveryView = Type.Object(
  {
    id: Type.String(),
    event_id: Type.String(),
    event_type: Type.Enum([...EVENT_TYPES]),
    status: Type.Enum([...DELIVERY_STATUSES]),
    attempts: Type.Array(AttemptView),
    next_attempt_at: nullable(Instant),
    created_at: Instant,
    finished_at: nullable(Instant),
    resend_of: nullable(Type.String({ description: 'The delivery that this one repeats.' })),
  },
  { title: 'Delivery', description: 'An event on its way to the endpoint, with every attempt.' },
);

export const DeliveryList = Type.Object(
  {
    deliveries: Type.Array(DeliveryView),
    next_cursor: nullable(Type.String()),
  },
  { title: 'DeliveryList', description: 'Deliveries, newest first.' },
);

export const DeliveryQuery = Type.Object({
  ...PageQuery,
  event_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
});

export const IdParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export const ScheduledDelivery = Type.Object(
  { delivery_id: Type.String() },
  {
    title: 'ScheduledDelivery',
    description: 'Under way; `GET /webhooks/deliveries` tells what becomes of it.',
  },
);
