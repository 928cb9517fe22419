import { resendDelivery } from '../../../shared/webhooks/resend-delivery.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { IdParams, ScheduledDelivery } from './webhook.schema.ts';

/** `POST /webhooks/deliveries/{id}/resend`: sends the same event again, with a schedule of its own. */
export const resendDeliveryRoute = partnerRoute({
  method: 'POST',
  path: '/webhooks/deliveries/:id/resend',
  operationId: 'resendDelivery',
  summary: 'Send the event of a delivery again.',
  scopes: ['webhook'],
  limit: 'write',
  params: IdParams,
  responses: { 202: ScheduledDelivery },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    return reply(202, { delivery_id: await resendDelivery(context, caller, params.id) });
  },
});
