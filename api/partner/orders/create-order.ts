import type { Static } from 'typebox';
import { answerOnce } from '../../../shared/idempotency/answer-once.ts';
import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { recordOrder, type SaleToRecord } from '../../../shared/orders/record-order.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import type { SignedTokens } from '../../../shared/platform/signed-token.ts';
import { readQuoteToken } from '../../../shared/quotes/quote-token.ts';
import { partnerRoute } from '../route.ts';
import { OrderInput, OrderView } from './order.schema.ts';
import { orderView } from './order.view.ts';

/** `POST /orders`: records a sale that the partner has collected, once for an Idempotency-Key. */
export const createOrderRoute = partnerRoute({
  method: 'POST',
  path: '/v1/orders',
  operationId: 'createOrder',
  summary: 'Record a sale that you collected.',
  description:
    'Collect the price from the buyer first. It must be the price in force: that of the quote, or of the listing without one. Only successes are stored under the key; after an error correct the request and send it with the same key.',
  scopes: ['buy'],
  limit: 'write',
  idempotencyKey: 'required',
  body: OrderInput,
  responses: { 201: OrderView },
  errors: ['not_found', 'conflict', 'price_mismatch', 'quote_expired'],
  async handler(context, { caller, body, idempotencyKey = '', method, path }) {
    const sale = await readSale(context.tokens, body);
    const scope = { credential: caller.keyId, method, path, key: idempotencyKey };
    const answer = await answerOnce(context, caller.partnerId, scope, body, async (tx, keep) => {
      await recordOrder(tx, context.config, caller, sale, context.clock.now(), (order) =>
        keep({ status: 201, body: JSON.stringify(orderView(order)) }),
      );
    });
    return {
      status: answer.status,
      text: answer.body,
      ...(answer.replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
    };
  },
});

async function readSale(
  tokens: SignedTokens,
  body: Static<typeof OrderInput>,
): Promise<SaleToRecord> {
  const { expected_price: expected, sale_price_cents: same } = body;
  if (expected !== undefined && same !== undefined && expected !== same) {
    throw invalid([
      { path: '/sale_price_cents', message: 'must equal expected_price when both are sent' },
    ]);
  }
  if (expected === undefined && same === undefined && body.quote_id === undefined) {
    throw invalid([{ path: '/expected_price', message: 'is required without a quote_id' }]);
  }
  return {
    domain: body.domain === undefined ? null : parseDomain(body.domain).ascii,
    expectedPriceCents: expected ?? same ?? null,
    currency: body.currency ?? 'USD',
    buyer: {
      email: body.buyer.email,
      name: body.buyer.name ?? null,
      country: body.buyer.country ?? null,
    },
    quote: body.quote_id
      ? { token: body.quote_id, read: await readQuoteToken(tokens, body.quote_id) }
      : null,
    externalPaymentRef: body.external_payment_ref ?? null,
    returnUrl: body.return_url ?? null,
    cancelUrl: body.cancel_url ?? null,
  };
}
