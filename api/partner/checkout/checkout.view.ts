import type { CheckoutSession } from '../../../shared/checkout/session.ts';

/** What a partner sees of a session in every answer. */
export function sessionSummary(session: CheckoutSession) {
  return {
    id: session.id,
    domain: session.domain,
    price_cents: session.price.amount,
    currency: session.price.currency,
    status: session.status,
    expires_at: session.expiresAt.toISOString(),
  };
}

/** The same with what became of it. The link is told once, when the session is created. */
export function sessionView(session: CheckoutSession) {
  return {
    ...sessionSummary(session),
    buyer_email: session.buyerEmail,
    client_reference: session.clientReference,
    return_url: session.returnUrl,
    cancel_url: session.cancelUrl,
    order_id: session.orderId,
    environment: session.environment,
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  };
}
