import { createSession } from '../../../shared/checkout/create-session.ts';
import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { CreatedSessionView, SessionInput } from './checkout.schema.ts';
import { sessionSummary } from './checkout.view.ts';

/** `POST /checkout-session`: a hosted payment page for a domain, and the link to it. */
export const createSessionRoute = partnerRoute({
  method: 'POST',
  path: '/v1/checkout-session',
  operationId: 'createSession',
  summary: 'Create a hosted payment page.',
  description:
    "Redirect the buyer to `checkout_url`. The page is open for seven days and keeps today's price for 24 hours.",
  scopes: ['embed'],
  limit: 'write',
  body: SessionInput,
  responses: { 201: CreatedSessionView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, body }) {
    const { session, url } = await createSession(context, caller, {
      domain: parseDomain(body.domain).ascii,
      returnUrl: addressOf('/return_url', body.return_url),
      cancelUrl: addressOf('/cancel_url', body.cancel_url),
      buyerEmail: body.buyer_email ?? null,
      clientReference: body.client_reference ?? null,
    });
    return reply(201, { ...sessionSummary(session), checkout_url: url });
  },
});

/** The schema lets through what no browser can open, such as a port beyond 65,535. */
function addressOf(path: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!URL.canParse(text)) throw invalid([{ path, message: 'is no address that can be opened' }]);
  return text;
}
