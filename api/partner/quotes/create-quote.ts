import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { createQuote } from '../../../shared/quotes/create-quote.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { QuoteInput, QuoteView } from './quote.schema.ts';

/** `POST /quotes`: locks the buy-now price and holds the domain for ten minutes. */
export const createQuoteRoute = partnerRoute({
  method: 'POST',
  path: '/v1/quotes',
  operationId: 'createQuote',
  summary: 'Lock the buy-now price of a domain.',
  description:
    'Holds the domain for ten minutes: others see it as unavailable. Quoting it again gives a new quote and ends the old one. At most 50 domains are held at a time.',
  scopes: ['buy'],
  limit: 'write',
  body: QuoteInput,
  responses: { 201: QuoteView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, body }) {
    const quote = await createQuote(context, caller, parseDomain(body.domain).ascii);
    return reply(201, {
      quote_id: quote.token,
      domain: quote.domain,
      price_cents: quote.price.amount,
      currency: quote.price.currency,
      expires_at: quote.expiresAt.toISOString(),
    });
  },
});
