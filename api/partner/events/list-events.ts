import { listEvents } from '../../../shared/events/list-events.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { EventList, EventQuery } from './event.schema.ts';

/** `GET /events`: the replayable history. */
export const listEventsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listEvents',
  summary: 'Read the event history, oldest first.',
  description:
    'Complete: no event appears before one that you have read. Keep the id of the last event you handled and go on from it.',
  scopes: ['webhook'],
  limit: 'reads',
  query: EventQuery,
  responses: { 200: EventList },
  async handler(context, { caller, query }) {
    const page = await listEvents(context, caller, {
      afterId: query.after_id ?? null,
      limit: query.limit,
    });
    return reply(200, {
      events: page.events.map(({ id, type, created_at, data }) => ({ id, type, created_at, data })),
      next_cursor: page.nextCursor,
    });
  },
});
