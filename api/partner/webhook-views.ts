import { Type } from 'typebox';
import { nullable } from '../http/common-schemas.ts';

/** Schemas shared by several webhook routes. */

export const IdParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export const DISABLED_REASON = nullable(
  Type.Enum(['gone', 'failing', 'paused'], {
    description:
      '`gone`: the endpoint answered 410. `failing`: it has only failed for days. `paused`: you paused it.',
  }),
);

export const ScheduledDelivery = Type.Object(
  { delivery_id: Type.String() },
  {
    title: 'ScheduledDelivery',
    description: 'Queued. Follow it with `GET /v1/webhooks/deliveries`.',
  },
);
