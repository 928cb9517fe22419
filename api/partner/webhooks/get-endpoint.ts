import { readEndpoint } from '../../../shared/webhooks/read-endpoint.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { EndpointView } from './webhook.schema.ts';
import { endpointView } from './webhook.view.ts';

/** `GET /webhooks`: the endpoint and its health. */
export const getEndpointRoute = partnerRoute({
  method: 'GET',
  path: '/webhooks',
  operationId: 'getEndpoint',
  summary: 'Read the webhook endpoint and its health.',
  scopes: ['webhook'],
  limit: 'reads',
  responses: { 200: EndpointView },
  errors: ['not_found'],
  async handler(context, { caller }) {
    return reply(200, endpointView(await readEndpoint(context, caller)));
  },
});
