import { registerEndpoint } from '../../../shared/webhooks/register-endpoint.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { EndpointInput, RegisteredEndpoint } from './webhook.schema.ts';

/** `PUT /webhooks`: registers or replaces the endpoint and its signing secret. */
export const registerEndpointRoute = partnerRoute({
  method: 'PUT',
  path: '/webhooks',
  operationId: 'registerEndpoint',
  summary: 'Register, replace or re-activate the webhook endpoint.',
  description:
    'One endpoint for each partner and environment. What happened before is not sent; the history has it.',
  scopes: ['webhook'],
  limit: 'write',
  body: EndpointInput,
  responses: { 200: RegisteredEndpoint },
  async handler(context, { caller, body }) {
    const endpoint = await registerEndpoint(context, caller, body);
    return reply(200, {
      url: endpoint.url,
      active: endpoint.active,
      created_at: endpoint.createdAt.toISOString(),
    });
  },
});
