import { Type } from 'typebox';
import { resendForOps } from '../../../shared/webhooks/resend-for-ops.ts';
import { opsAction } from '../action.ts';

export const webhookResend = opsAction({
  name: 'webhook:resend',
  summary: 'Send a webhook delivery, or an event, once more',
  input: Type.Object({
    delivery: Type.Optional(Type.String({ description: 'Delivery id (dlv_...).' })),
    event: Type.Optional(Type.String({ description: 'Event id (evt_...).' })),
  }),
  async run(context, { delivery, event }) {
    const request = { deliveryId: delivery, eventId: event };
    const deliveryId = await resendForOps(context, context.actor, request);
    return { delivery_id: deliveryId, status: 'pending' };
  },
});
