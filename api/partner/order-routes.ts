import { type Static, Type } from 'typebox';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import { answerOnce } from '../../shared/messaging/unit-of-work/idempotency.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../shared/sales/orders/order.ts';
import { readRegistrantFor, setRegistrant } from '../../shared/sales/orders/order-registrant.ts';
import { getOrder, getOrderDetail, listOrders } from '../../shared/sales/orders/read-orders.ts';
import { recordOrder, type SaleToRecord } from '../../shared/sales/orders/record-order.ts';
import { quoteInput } from '../../shared/sales/quotes/use-quote.ts';
import { issueAuthCode } from '../../shared/sales/transfers/issue-auth-code.ts';
import { enumList, Instant, parseEnumList } from '../http/common-schemas.ts';
import { BY_TIME, PageQuery, PeriodQuery, parsePeriod } from '../http/pagination.ts';
import { wantsPdf } from '../http/pdf.ts';
import { reply } from '../http/reply.ts';
import { pdfOfDocuments } from './document-routes.ts';
import {
  OrderDetailView,
  OrderInput,
  OrderListView,
  OrderParams,
  OrderView,
  orderDetailView,
  orderView,
  RegistrantInput,
  readBuyer,
  readDeliveryWish,
} from './order-schemas.ts';
import { type PartnerContext, partnerRoute } from './partner-route.ts';

const OrderListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(ORDER_STATUSES),
  domain: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

/** `POST /orders`: records a sale that the partner has collected, once per Idempotency-Key. */
export const createOrderRoute = partnerRoute({
  method: 'POST',
  path: '/v1/orders',
  operationId: 'createOrder',
  summary: 'Record a sale whose payment you collected.',
  description:
    'Collect the price from the buyer first. It must be the current price: the price of the quote, or without a quote, of the listing. Only successful responses are stored under the key; after an error, correct the request and send it again with the same key.',
  scopes: ['buy'],
  limit: 'write',
  idempotencyKey: 'required',
  body: OrderInput,
  responses: { 201: OrderView },
  errors: ['not_found', 'conflict', 'price_mismatch', 'quote_expired'],
  async handler(context, { caller, body, idempotencyKey = '', method, path }) {
    const sale = await readSale(context, body);
    const scope = { credential: caller.keyId, method, path, key: idempotencyKey };
    return answerOnce(context, caller.partnerId, scope, body, async (uow) => {
      const order = await recordOrder(uow, context, caller, sale);
      return { status: 201, text: JSON.stringify(orderView(order)) };
    });
  },
});

async function readSale(
  { tokens, tlds }: Pick<PartnerContext, 'tokens' | 'tlds'>,
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
  const domain = body.domain === undefined ? null : parseMarketDomain(body.domain).ascii;
  const quote = await quoteInput(tokens, body.quote_id);
  return {
    domain,
    expectedPriceCents: expected ?? same ?? null,
    currency: body.currency ?? null,
    premiumRenewalFeeCents: body.premium_renewal_fee_cents ?? null,
    buyer: readBuyer(body.buyer),
    quote,
    delivery: body.delivery ? readDeliveryWish(body.delivery) : null,
    externalPaymentRef: body.external_payment_ref ?? null,
    returnUrl: body.return_url ?? null,
    cancelUrl: body.cancel_url ?? null,
    registrant:
      body.registrant === undefined
        ? null
        : await readRegistrantFor(
            tlds,
            domain ?? quotedDomain(quote),
            body.registrant,
            '/registrant',
          ),
  };
}

/** Returns the quoted domain, or '' for an invalid quote: its order is refused anyway, whatever the TLD. */
function quotedDomain(quote: SaleToRecord['quote']): string {
  const read = quote?.read;
  return typeof read === 'object' ? read.domain : '';
}

/** `PUT /orders/{public_id}/registrant`: sets the registrant of the domain. */
export const setRegistrantRoute = partnerRoute({
  method: 'PUT',
  path: '/v1/orders/:public_id/registrant',
  operationId: 'setRegistrant',
  summary: "Set the registrant of an order's domain.",
  description:
    "Allowed until the domain is delivered. An order with `action_required: registrant_required` then continues. The TLD's required fields are in `registrant_schema` of its metadata.",
  scopes: ['buy'],
  limit: 'write',
  params: OrderParams,
  body: RegistrantInput,
  responses: { 200: OrderView },
  errors: ['conflict'],
  async handler(context, { caller, params, body }) {
    const { id, domain } = await getOrder(context, caller, params.public_id);
    const registrant = await readRegistrantFor(context.tlds, domain, body, '');
    const order = await context.db.transactFor(caller.partnerId, (uow) =>
      setRegistrant(uow, context, id, registrant),
    );
    return reply(200, orderView(order));
  },
});

/** `GET /orders`: the partner's orders, newest first. */
export const listOrdersRoute = partnerRoute({
  method: 'GET',
  path: '/v1/orders',
  operationId: 'listOrders',
  summary: 'List your orders, newest first.',
  scopes: ['buy', 'search'],
  limit: 'reads',
  query: OrderListQuery,
  responses: { 200: OrderListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['orders', filters], BY_TIME);
    const before = await cursors.read(cursor);
    const { rows, next } = await listOrders(context, caller, {
      ...parsePeriod(filters),
      statuses: parseEnumList<OrderStatus>('/status', filters.status, ORDER_STATUSES),
      domain: filters.domain === undefined ? null : parseMarketDomain(filters.domain).ascii,
      before,
      limit,
    });
    return reply(200, { orders: rows.map(orderView), next_cursor: await cursors.write(next) });
  },
});

/** `GET /orders/{public_id}`: one order with its timeline and transfer. */
export const getOrderRoute = partnerRoute({
  method: 'GET',
  path: '/v1/orders/:public_id',
  operationId: 'getOrder',
  summary: 'Read an order with its timeline as JSON, or its newest document as PDF.',
  description: 'The PDF is the credit note for a refunded order, otherwise the invoice.',
  scopes: ['buy', 'search'],
  limit: 'reads',
  params: OrderParams,
  responses: { 200: OrderDetailView },
  alternatives: ['application/pdf'],
  async handler(context, { caller, params, accept }) {
    const detail = await getOrderDetail(context, caller, params.public_id);
    if (wantsPdf(accept)) {
      return pdfOfDocuments(context, caller, detail.documents, ['credit_note', 'invoice']);
    }
    return reply(200, orderDetailView(context, detail));
  },
});

const AuthCodeView = Type.Object(
  {
    domain: Type.String(),
    auth_code: Type.String({
      description: 'Shown only once. Give it to your registrar and keep it secret.',
    }),
    expires_at: Instant,
  },
  {
    title: 'AuthCode',
    description: 'The authorization code your registrar needs to request the domain (RFC 9154).',
  },
);

/** `POST /orders/{public_id}/auth-code`: issues the code for a transfer to the partner's registrar. */
export const issueAuthCodeRoute = partnerRoute({
  method: 'POST',
  path: '/v1/orders/:public_id/auth-code',
  operationId: 'issueAuthCode',
  summary: 'Get the authorization code of a sold domain, to transfer it to your registrar.',
  description:
    'For orders with delivery `partner_registrar`, once the domain is released (`transfer.released`). Each call creates a new code and invalidates the previous one. We approve the transfer that is requested with it.',
  scopes: ['buy'],
  limit: 'write',
  params: OrderParams,
  responses: { 200: AuthCodeView },
  errors: ['conflict'],
  async handler(context, { caller, params }) {
    const { domain, authCode, expiresAt } = await issueAuthCode(context, caller, params.public_id);
    return reply(200, { domain, auth_code: authCode, expires_at: expiresAt.toISOString() });
  },
});
