import { Type } from 'typebox';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import { createQuote, releaseQuote } from '../../shared/sales/quotes/quote-lifecycle.ts';
import { Instant } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { partnerRoute } from './partner-route.ts';
import { PremiumView, premiumView } from './premium-view.ts';

const QuoteInput = Type.Object(
  { domain: Type.String({ minLength: 1, maxLength: 512 }) },
  { title: 'QuoteInput', examples: [{ domain: 'neonwallet.com' }] },
);

const QuoteView = Type.Object(
  {
    quote_id: Type.String({ description: 'Signed token; pass it to `POST /orders`.' }),
    domain: Type.String(),
    price_cents: Type.Integer(),
    currency: Type.String(),
    expires_at: Instant,
    premium: PremiumView,
  },
  { title: 'Quote', description: 'A locked price. The domain is held until `expires_at`.' },
);

const QuoteParams = Type.Object({
  quote_id: Type.String({ minLength: 1, maxLength: 2_048 }),
});

/** `POST /quotes`: locks the buy-now price and holds the domain for ten minutes. */
export const createQuoteRoute = partnerRoute({
  method: 'POST',
  path: '/v1/quotes',
  operationId: 'createQuote',
  summary: 'Lock the buy-now price of a domain.',
  description:
    'Holds the domain for ten minutes: others see it as unavailable. Quoting it again creates a new quote and ends the old one. You can hold at most 50 domains at a time.',
  scopes: ['buy'],
  limit: 'write',
  body: QuoteInput,
  responses: { 201: QuoteView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, body }) {
    const quote = await createQuote(context, caller, parseMarketDomain(body.domain).ascii);
    return reply(201, {
      quote_id: quote.token,
      domain: quote.domain,
      price_cents: quote.price.amount,
      currency: quote.price.currency,
      expires_at: quote.expiresAt.toISOString(),
      premium: premiumView(quote.premium),
    });
  },
});

/** `DELETE /quotes/{quote_id}`: releases the hold early. */
export const releaseQuoteRoute = partnerRoute({
  method: 'DELETE',
  path: '/v1/quotes/:quote_id',
  operationId: 'releaseQuote',
  summary: 'Release a quote and its hold.',
  scopes: ['buy'],
  limit: 'write',
  params: QuoteParams,
  responses: { 204: null },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    await releaseQuote(context, caller, params.quote_id);
    return reply(204);
  },
});
