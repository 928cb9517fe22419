import { resendEvent } from '../../../shared/webhooks/resend-event.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { IdParams, ScheduledDelivery } from './webhook.schema.ts';

/** `POST /events/{id}/resend`: sends an event of the history to the present endpoint. */
export const resendEventRoute = partnerRoute({
  method: 'POST',
  path: '/v1/events/:id/resend',
  operationId: 'resendEvent',
  summary: 'Send an event of the history to the webhook endpoint.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 202: ScheduledDelivery },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    return reply(202, { delivery_id: await resendEvent(context, caller, params.id) });
  },
});
