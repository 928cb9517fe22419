import { releaseQuote } from '../../../shared/quotes/release-quote.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { QuoteParams } from './quote.schema.ts';

/** `DELETE /quotes/{quote_id}`: gives the hold back early. */
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
