import { Type } from 'typebox';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import { createSession } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import {
  type CheckoutSession,
  SESSION_STATUSES,
} from '../../shared/sales/checkout/checkout-session.ts';
import { readSession } from '../../shared/sales/checkout/read-checkout-session.ts';
import { quoteInput } from '../../shared/sales/quotes/use-quote.ts';
import { HttpUrl, Instant, nullable } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { type PartnerRoute, partnerRoute } from './partner-route.ts';

const SessionInput = Type.Object(
  {
    domain: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Optional with `quote_id`; if you send both, they must match.',
      }),
    ),
    quote_id: Type.Optional(
      oneLineText({
        minLength: 1,
        maxLength: 2_048,
        description: 'Your open quote. The session takes over its hold, price and expiry.',
      }),
    ),
    return_url: Type.Optional(HttpUrl),
    cancel_url: Type.Optional(HttpUrl),
    buyer_email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    client_reference: Type.Optional(oneLineText({ minLength: 1, maxLength: 255 })),
  },
  {
    title: 'CheckoutSessionInput',
    examples: [
      {
        domain: 'neonwallet.com',
        return_url: 'https://partner.example/thanks',
        cancel_url: 'https://partner.example/cart',
        client_reference: 'cart-1001',
      },
    ],
  },
);

const sessionFields = {
  id: Type.String(),
  domain: Type.String(),
  price_cents: Type.Integer({ description: 'The price shown to a buyer who opens the page now.' }),
  currency: Type.String(),
  status: Type.Enum([...SESSION_STATUSES]),
  expires_at: Instant,
};

const CreatedSessionView = Type.Object(
  { ...sessionFields, checkout_url: Type.String({ description: 'Redirect the buyer there.' }) },
  { title: 'CreatedCheckoutSession', description: 'A hosted payment page.' },
);

const SessionView = Type.Object(
  {
    ...sessionFields,
    buyer_email: nullable(Type.String()),
    client_reference: nullable(Type.String()),
    quote_id: nullable(Type.String({ description: 'The quote used by the session.' })),
    return_url: nullable(Type.String()),
    cancel_url: nullable(Type.String()),
    order_id: nullable(Type.String({ description: 'The order, once the session is paid.' })),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: 'CheckoutSession', description: 'A hosted payment page and its result.' },
);

const SessionParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

/** `POST /checkout-session`: creates a hosted payment page for a domain, and returns its link. */
const createSessionRoute = partnerRoute({
  method: 'POST',
  path: '/v1/checkout-session',
  operationId: 'createSession',
  summary: 'Create a hosted payment page.',
  description:
    "Redirect the buyer to `checkout_url`. The page stays open for seven days and keeps today's price for 24 hours, or the price of `quote_id` until the quote expires.",
  scopes: ['embed'],
  limit: 'write',
  body: SessionInput,
  responses: { 201: CreatedSessionView },
  errors: ['not_found', 'conflict', 'quote_expired'],
  async handler(context, { caller, body }) {
    const { session, url } = await createSession(context, caller, {
      domain: body.domain === undefined ? null : parseMarketDomain(body.domain).ascii,
      quote: await quoteInput(context.tokens, body.quote_id),
      returnUrl: addressOf('/return_url', body.return_url),
      cancelUrl: addressOf('/cancel_url', body.cancel_url),
      buyerEmail: body.buyer_email ?? null,
      clientReference: body.client_reference ?? null,
    });
    return reply(201, { ...sessionSummary(session), checkout_url: url });
  },
});

/** Refuses URLs that the schema accepts but browsers cannot open, such as a port above 65,535. */
function addressOf(path: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!URL.canParse(text))
    throw invalid([{ path, message: 'is not an address that can be opened' }]);
  return text;
}

/** `GET /checkout-session/{id}`: one of the partner's sessions. */
const getSessionRoute = partnerRoute({
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

export const checkoutRoutes: readonly PartnerRoute[] = [createSessionRoute, getSessionRoute];

/** Returns the fields of a session that are in every response. */
function sessionSummary(session: CheckoutSession) {
  return {
    id: session.id,
    domain: session.domain,
    price_cents: session.price.amount,
    currency: session.price.currency,
    status: session.status,
    expires_at: session.expiresAt.toISOString(),
  };
}

/** Returns a session with its outcome. Only the response to its creation has the link. */
function sessionView(session: CheckoutSession) {
  return {
    ...sessionSummary(session),
    buyer_email: session.buyerEmail,
    client_reference: session.clientReference,
    quote_id: session.quoteId,
    return_url: session.returnUrl,
    cancel_url: session.cancelUrl,
    order_id: session.orderId,
    environment: session.environment,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}
