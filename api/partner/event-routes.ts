import { Type } from 'typebox';
import { historyFields } from '../../shared/messaging/event-types/event-schema.ts';
import { listEvents } from '../../shared/messaging/events/read-events.ts';
import { reply } from '../http/reply.ts';
import { HISTORY_EVENTS } from './event-catalogue.ts';
import { partnerRoute } from './partner-route.ts';

const EventList = Type.Object(
  {
    events: Type.Array(
      Type.Union(HISTORY_EVENTS.map((definition) => Type.Object(historyFields(definition)))),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass this as the next `after_id`; null if there is nothing newer.',
    }),
  },
  { title: 'EventList', description: 'A page of the event history, oldest first.' },
);

const EventQuery = Type.Object({
  after_id: Type.Optional(Type.String({ description: 'The last event you have seen.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Events per page.' }),
});

/** `GET /events`: the replayable history. */
export const listEventsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listEvents',
  summary: 'Read the event history, oldest first.',
  description:
    'The history is complete: no event ever appears before one you have already read. Store the ID of the last event you handled and continue from it.',
  scopes: ['webhook'],
  limit: 'reads',
  query: EventQuery,
  responses: { 200: EventList },
  async handler(context, { caller, query }) {
    const { rows, next } = await listEvents(context, caller, {
      afterId: query.after_id ?? null,
      limit: query.limit,
    });
    return reply(200, {
      events: rows.map(({ id, type, created_at, data }) => ({ id, type, created_at, data })),
      next_cursor: next,
    });
  },
});
