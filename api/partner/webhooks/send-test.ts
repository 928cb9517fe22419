import { sendPing } from '../../../shared/events/send-ping.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { ScheduledDelivery } from './webhook.schema.ts';

/** `POST /webhooks/test`: sends a signed `webhook.ping`, which is no part of the history. */
export const sendTestRoute = partnerRoute({
  method: 'POST',
  path: '/webhooks/test',
  operationId: 'sendTest',
  summary: 'Send a signed webhook.ping to the endpoint.',
  scopes: ['webhook'],
  limit: 'write',
  responses: { 202: ScheduledDelivery },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller }) {
    return reply(202, { delivery_id: await sendPing(context, caller) });
  },
});
