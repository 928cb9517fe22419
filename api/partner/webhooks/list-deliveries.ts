import { listDeliveries } from '../../../shared/webhooks/list-deliveries.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { DeliveryList, DeliveryQuery } from './webhook.schema.ts';
import { deliveryView } from './webhook.view.ts';

/** `GET /webhooks/deliveries`: the log of deliveries and their attempts, newest first. */
export const listDeliveriesRoute = partnerRoute({
  method: 'GET',
  path: '/webhooks/deliveries',
  operationId: 'listDeliveries',
  summary: 'List webhook deliveries with every attempt, newest first.',
  scopes: ['webhook'],
  limit: 'reads',
  query: DeliveryQuery,
  responses: { 200: DeliveryList },
  async handler(context, { caller, query }) {
    const { limit, cursor, event_id, status } = query;
    const filters = ['deliveries', event_id ?? null, status ?? null];
    const position = await context.cursors.read(cursor, filters);
    const page = await listDeliveries(context, caller, {
      eventId: event_id ?? null,
      status: status ?? null,
      before: position === null ? null : String(position[0]),
      limit,
    });
    const { nextBefore } = page;
    return reply(200, {
      deliveries: page.deliveries.map(deliveryView),
      next_cursor: nextBefore === null ? null : await context.cursors.write([nextBefore], filters),
    });
  },
});
