import { removeEndpoint } from '../../../shared/webhooks/remove-endpoint.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';

/** `DELETE /webhooks`: nothing more is sent; the history and the delivery log stay readable. */
export const removeEndpointRoute = partnerRoute({
  method: 'DELETE',
  path: '/webhooks',
  operationId: 'removeEndpoint',
  summary: 'Remove the webhook endpoint and cancel what was still to be sent.',
  scopes: ['webhook'],
  limit: 'write',
  responses: { 204: null },
  errors: ['not_found'],
  async handler(context, { caller }) {
    await removeEndpoint(context, caller);
    return reply(204);
  },
});
