import { fail } from '../../../shared/platform/errors.ts';
import { findTld } from '../../../shared/tlds/find-tld.ts';
import { reply } from '../../http/reply.ts';
import { publicRoute } from '../route.ts';
import { TldPricing, TldPricingQuery } from './tlds.schema.ts';

const CENTS = 100;

/** `GET /pricing/tld`: what one operation costs for the shortest term; 404 when it is not offered. */
export const getTldPricingRoute = publicRoute({
  method: 'GET',
  path: '/pricing/tld',
  operationId: 'getTldPricing',
  summary: 'Read what it costs to register, renew, transfer or restore a name under a TLD.',
  limit: 'reads',
  query: TldPricingQuery,
  responses: { 200: TldPricing },
  errors: ['not_found'],
  async handler(context, { query: { tld: text, op } }) {
    const found = await findTld(context, text, '/tld');
    const cents = found.priceCents[op];
    if (cents === null) {
      throw fail('not_found', { message: `"${op}" is not offered for .${found.tld}.` });
    }
    return reply(200, {
      tld: found.tld,
      op,
      price_cents: cents,
      price: (cents / CENTS).toFixed(2),
      currency: 'USD',
      years: found.minYears,
      updated_at: found.updatedAt.toISOString(),
    });
  },
});
