import { Type } from 'typebox';
import { EVENT_TYPES } from '../../../shared/events/event.ts';
import { Instant } from '../../http/schema.ts';

export const EventList = Type.Object(
  {
    events: Type.Array(
      Type.Object({
        id: Type.String(),
        type: Type.Enum([...EVENT_TYPES]),
        created_at: Instant,
        data: Type.Object({}, { additionalProperties: true }),
      }),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass as the next `after_id`; null when there is nothing newer.',
    }),
  },
  { description: 'A page of the event history, oldest first.' },
);

export const EventQuery = Type.Object({
  after_id: Type.Optional(Type.String({ description: 'The last event already seen.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
});
