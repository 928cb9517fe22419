import { readSession } from '../../../shared/checkout/read-session.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { SessionParams, SessionView } from './checkout.schema.ts';
import { sessionView } from './checkout.view.ts';

/** `GET /checkout-session/{id}`: a session of yours as it stands. */
export const getSessionRoute = partnerRoute({
  method: 'GET',
  path: '/v1/checkout-session/:id',
  operationId: 'getSession',
  summary: 'Read a checkout session.',
  scopes: ['embed'],
  limit: 'reads',
  params: SessionParams,
  responses: { 200: SessionView },
  async handler(context, { caller, params }) {
    return reply(200, sessionView(await readSession(context, caller, params.id)));
  },
});
