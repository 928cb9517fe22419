import { Type } from 'typebox';
import { Instant } from '../../http/schema.ts';

export const QuoteInput = Type.Object(
  { domain: Type.String({ minLength: 1, maxLength: 512 }) },
  { title: 'QuoteInput', examples: [{ domain: 'neonwallet.com' }] },
);

export const QuoteView = Type.Object(
  {
    quote_id: Type.String({ description: 'Signed token; pass it to `POST /orders`.' }),
    domain: Type.String(),
    price_cents: Type.Integer(),
    currency: Type.String(),
    expires_at: Instant,
  },
  { title: 'Quote', description: 'A locked price. The domain is held until `expires_at`.' },
);

export const QuoteParams = Type.Object({
  quote_id: Type.String({ minLength: 1, maxLength: 2_048 }),
});
