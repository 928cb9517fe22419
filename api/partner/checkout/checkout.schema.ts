import { Type } from 'typebox';
import { SESSION_STATUSES } from '../../../shared/checkout/session-states.ts';
import { Instant, nullable } from '../../http/schema.ts';
import { HttpUrl } from '../orders/order.schema.ts';

export const SessionInput = Type.Object(
  {
    domain: Type.String({ minLength: 1, maxLength: 512 }),
    return_url: Type.Optional(HttpUrl),
    cancel_url: Type.Optional(HttpUrl),
    buyer_email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    client_reference: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
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
  price_cents: Type.Integer({ description: 'What a buyer who opens the page now is asked for.' }),
  currency: Type.String(),
  status: Type.Enum([...SESSION_STATUSES]),
  expires_at: Instant,
};

export const CreatedSessionView = Type.Object(
  { ...sessionFields, checkout_url: Type.String({ description: 'Redirect the buyer there.' }) },
  { title: 'CreatedCheckoutSession', description: 'A hosted payment page.' },
);

export const SessionView = Type.Object(
  {
    ...sessionFields,
    buyer_email: nullable(Type.String()),
    client_reference: nullable(Type.String()),
    return_url: nullable(Type.String()),
    cancel_url: nullable(Type.String()),
    order_id: nullable(Type.String({ description: 'The order, once the session is paid.' })),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: 'CheckoutSession', description: 'A hosted payment page and what became of it.' },
);

export const SessionParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });
