import { Type } from 'typebox';
import { readEndpoint } from '../../../shared/delivery/webhooks/manage-endpoint.ts';
import { resendForOps } from '../../../shared/operations/webhook-overview/resend-for-ops.ts';
import { endpointView } from '../../partner/webhook-routes.ts';
import { EnvironmentField, opsAction, PartnerField } from '../ops-action.ts';

export const webhookEndpoint = opsAction({
  name: 'webhook:endpoint',
  summary: "Show a partner's webhook endpoint and its health",
  input: Type.Object({
    partner: PartnerField,
    environment: EnvironmentField,
  }),
  async run(context, { partner, environment }) {
    const owner = { partnerId: partner, environment };
    return { ...endpointView(await readEndpoint(context, owner)), partner_id: partner };
  },
});

export const webhookResend = opsAction({
  name: 'webhook:resend',
  summary: 'Resend a webhook delivery or an event',
  input: Type.Object({
    delivery: Type.Optional(Type.String({ description: 'Delivery id (dlv_...).' })),
    event: Type.Optional(Type.String({ description: 'Event id (evt_...).' })),
  }),
  async run(context, { delivery, event }) {
    const request = { deliveryId: delivery, eventId: event };
    const deliveryIds = await resendForOps(context, context.actor, request);
    return { delivery_id: deliveryIds[0], delivery_ids: deliveryIds, status: 'pending' };
  },
});
