import { type Static, Type } from 'typebox';
import {
  MAX_STREET_LINES,
  REGISTRANT_LENGTHS,
} from '../../shared/domains/registrants/registrant.ts';
import { parseMarketDomain } from '../../shared/market/names/domain-name.ts';
import type { DocumentSummary } from '../../shared/messaging/documents/document.ts';
import { DELIVERY_METHODS } from '../../shared/people/partners/partner.ts';
import { parseCountry } from '../../shared/platform/countries.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { MAX_PRICE_CENTS } from '../../shared/platform/money.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import {
  type Buyer,
  type DeliveryWish,
  ORDER_ACTIONS,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  type TimelineEntry,
} from '../../shared/sales/orders/order.ts';
import { readRegistrantFor, setRegistrant } from '../../shared/sales/orders/order-registrant.ts';
import {
  type DeliverySummary,
  getOrder,
  getOrderDetail,
  listOrders,
  type RefundSummary,
  type TransferSummary,
} from '../../shared/sales/orders/read-orders.ts';
import { recordOrder, type SaleToRecord } from '../../shared/sales/orders/record-order.ts';
import { quoteInput } from '../../shared/sales/quotes/use-quote.ts';
import { REFUND_REASONS } from '../../shared/sales/refunds/refund.ts';
import { nextStepOf } from '../../shared/sales/transfers/delivery-steps.ts';
import { SHOWN_DELIVERY_STATUSES } from '../../shared/sales/transfers/domain-delivery.ts';
import { issueAuthCode } from '../../shared/sales/transfers/issue-auth-code.ts';
import { TRANSFER_STATUSES } from '../../shared/sales/transfers/transfer.ts';
import { PAYMENT_MODELS } from '../../shared/settlement/reports/transaction.ts';
import {
  CountryField,
  enumList,
  HttpUrl,
  Instant,
  nullable,
  parseEnumList,
} from '../http/common-schemas.ts';
import { replyOnce } from '../http/idempotent-requests.ts';
import { BY_TIME, PageQuery, PeriodQuery, parsePeriod } from '../http/pagination.ts';
import { wantsPdf } from '../http/pdf.ts';
import { reply } from '../http/reply.ts';
import { DocumentView, documentView, pdfOfDocuments } from './document-routes.ts';
import { type PartnerContext, partnerRoute } from './partner-route.ts';

const price = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS, description });

const OrderStatusField = Type.Enum([...ORDER_STATUSES], {
  title: 'OrderStatus',
  description: 'Where an order stands.',
});

/** The buyer of an order. */
export const BuyerInput = Type.Object({
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.Optional(oneLineText({ minLength: 1, maxLength: 200 })),
  country: Type.Optional(CountryField),
});

/** The buyer of a request. @throws validation_error */
export function readBuyer({ email, name, country }: Static<typeof BuyerInput>): Buyer {
  return {
    email,
    name: name ?? null,
    country: country === undefined ? null : parseCountry('/buyer/country', country),
  };
}

/** Who a domain is registered for; the rules of its TLD say more than this schema. */
const RegistrantInput = Type.Object(
  {
    name: oneLineText({ minLength: 1, maxLength: REGISTRANT_LENGTHS.name }),
    organization: Type.Optional(
      oneLineText({ minLength: 1, maxLength: REGISTRANT_LENGTHS.organization }),
    ),
    street: Type.Array(oneLineText({ minLength: 1, maxLength: REGISTRANT_LENGTHS.street }), {
      minItems: 1,
      maxItems: MAX_STREET_LINES,
    }),
    city: oneLineText({ minLength: 1, maxLength: REGISTRANT_LENGTHS.city }),
    state: Type.Optional(
      oneLineText({
        minLength: 1,
        maxLength: REGISTRANT_LENGTHS.state,
        description: 'State, province or prefecture, where addresses have one.',
      }),
    ),
    postal_code: Type.Optional(
      oneLineText({
        minLength: 1,
        maxLength: REGISTRANT_LENGTHS.postal_code,
        description: 'Required in countries with postal codes.',
      }),
    ),
    country: CountryField,
    phone: oneLineText({
      minLength: 1,
      maxLength: REGISTRANT_LENGTHS.phone,
      description: 'E.164, such as +4930123456.',
    }),
    email: Type.String({ format: 'email', maxLength: REGISTRANT_LENGTHS.email }),
    extra: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-z][a-z_]{0,39}$' }),
        oneLineText({ minLength: 1, maxLength: REGISTRANT_LENGTHS.extra }),
        {
          maxProperties: 20,
          description: 'What the TLD asks for beyond that: `registrant_schema` of its metadata.',
        },
      ),
    ),
  },
  {
    title: 'Registrant',
    description: 'Who a domain is registered for.',
    examples: [
      {
        name: 'A. Buyer',
        street: ['Lindenallee 12'],
        city: 'Berlin',
        postal_code: '10115',
        country: 'DE',
        phone: '+4930123456',
        email: 'buyer@example.com',
      },
    ],
  },
);

const DeliveryInput = Type.Object(
  {
    method: Type.Enum([...DELIVERY_METHODS], {
      description:
        '`account`: the buyer takes the domain into an account with us. `partner_registrar`: you fetch it to your registrar with an authorization code.',
    }),
    registrar_id: Type.Optional(
      oneLineText({
        minLength: 1,
        maxLength: 64,
        description:
          'Your registrar as the registry names it. Transfers that another one asks for are refused.',
      }),
    ),
  },
  { title: 'OrderDeliveryInput', description: 'How the domain reaches its buyer.' },
);

/** The delivery that a request asks for. @throws validation_error */
function readDeliveryWish({
  method,
  registrar_id: registrarId,
}: Static<typeof DeliveryInput>): DeliveryWish {
  const gainingRegistrar = registrarId ?? null;
  if (gainingRegistrar !== null && method !== 'partner_registrar') {
    throw invalid([
      { path: '/delivery/registrar_id', message: 'goes with the method partner_registrar' },
    ]);
  }
  return { method, gainingRegistrar };
}

const OrderInput = Type.Object(
  {
    domain: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'May be left out with `quote_id`; when both are sent they must agree.',
      }),
    ),
    expected_price: Type.Optional(
      price('Minor units; must be the price in force. May be left out with `quote_id`.'),
    ),
    sale_price_cents: Type.Optional(price('Another name of `expected_price`.')),
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; USD when left out.' }),
    ),
    buyer: BuyerInput,
    registrant: Type.Optional(RegistrantInput),
    return_url: Type.Optional(HttpUrl),
    cancel_url: Type.Optional(HttpUrl),
    delivery: Type.Optional(DeliveryInput),
    quote_id: Type.Optional(oneLineText({ minLength: 1, maxLength: 2_048 })),
    external_payment_ref: Type.Optional(oneLineText({ minLength: 1, maxLength: 255 })),
  },
  {
    title: 'OrderInput',
    examples: [
      {
        domain: 'neonwallet.com',
        expected_price: 485_000,
        currency: 'USD',
        buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
        external_payment_ref: 'inv-1001',
      },
    ],
  },
);

const orderFields = {
  public_id: Type.String(),
  domain: Type.String(),
  status: OrderStatusField,
  payment_model: Type.Enum([...PAYMENT_MODELS]),
  sale_price_cents: Type.Integer(),
  commission_cents: Type.Integer(),
  amount_owed_cents: Type.Integer({
    description: 'What you owe for it now: 0 once it is refunded or cancelled.',
  }),
  currency: Type.String(),
  buyer: Type.Object({
    email: Type.String(),
    name: nullable(Type.String()),
    country: nullable(Type.String()),
  }),
  quote_id: nullable(Type.String()),
  external_payment_ref: nullable(Type.String()),
  return_url: nullable(Type.String()),
  cancel_url: nullable(Type.String()),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  created_at: Instant,
  updated_at: Instant,
  transfer_completed_at: nullable(Instant),
  settled_at: nullable(Instant),
  settlement_id: nullable(Type.String()),
  refunded_at: nullable(Instant),
  checkout_session_id: nullable(Type.String()),
  action_required: Type.Union([Type.Enum([...ORDER_ACTIONS]), Type.Null()], {
    description:
      '`registrant_required`: the transfer starts when the registrant is set. Null when nothing is waited for.',
  }),
};

const OrderView = Type.Object(orderFields, { title: 'Order', description: 'A sale.' });

export const OrderDetailView = Type.Object(
  {
    ...orderFields,
    timeline: Type.Array(
      Type.Object(
        {
          at: Instant,
          status: OrderStatusField,
          event: Type.String({ description: 'The type of the event that told of it.' }),
          note: nullable(Type.String()),
        },
        { title: 'TimelineEntry', description: 'A step of an order, and its status after it.' },
      ),
    ),
    transfer: nullable(
      Type.Object({
        id: Type.String(),
        status: Type.Enum([...TRANSFER_STATUSES]),
        method: Type.Enum(['push', 'auth_code']),
        registrar: nullable(Type.String()),
        attempts: Type.Integer(),
        reason: nullable(Type.String()),
        updated_at: Instant,
      }),
    ),
    delivery: Type.Object(
      {
        method: Type.Enum([...DELIVERY_METHODS]),
        status: nullable(
          Type.Enum([...SHOWN_DELIVERY_STATUSES], {
            description:
              'Null while the domain is on its way to us, and where our staff or the sandbox confirms the delivery.',
          }),
        ),
        since: nullable(Instant),
        expires_at: nullable({
          ...Instant,
          description: 'When the claim link or the authorization code ends.',
        }),
        requested_by: nullable(
          Type.String({ description: 'The registrar that asked for the domain.' }),
        ),
        next_step: nullable(Type.String({ description: 'Who has to do what, in words.' })),
      },
      {
        title: 'OrderDelivery',
        description: 'How the domain reaches its buyer, and where that stands.',
      },
    ),
    refund: nullable(
      Type.Object({
        id: Type.String(),
        status: Type.Enum(['pending', 'completed', 'declined'], {
          description:
            '`pending` while the push of the domain is being stopped, `declined` when it could not be and the domain is delivered.',
        }),
        reason: Type.Enum([...REFUND_REASONS]),
        created_at: Instant,
        completed_at: nullable(Instant),
      }),
    ),
    documents: Type.Array(DocumentView, {
      description: "The buyer's documents; none when you collected the price yourself.",
    }),
  },
  {
    title: 'OrderDetail',
    description: 'A sale with its timeline, its transfer, its newest refund and its documents.',
  },
);

const OrderListView = Type.Object(
  {
    orders: Type.Array(OrderView),
    next_cursor: nullable(Type.String()),
  },
  { title: 'OrderList', description: 'Orders, newest first.' },
);

const OrderListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(ORDER_STATUSES),
  domain: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

export const OrderParams = Type.Object({ public_id: Type.String({ minLength: 1, maxLength: 64 }) });

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
    const sale = await readSale(context, body);
    const scope = { credential: caller.keyId, method, path, key: idempotencyKey };
    return replyOnce(context, caller.partnerId, scope, body, async (uow) => {
      const order = await recordOrder(uow, context, caller, sale);
      return { status: 201, body: JSON.stringify(orderView(order)) };
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
    currency: body.currency ?? 'USD',
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

/** The TLD of a quote that does not hold does not matter: the order is refused for it. */
function quotedDomain(quote: SaleToRecord['quote']): string {
  const read = quote?.read;
  return typeof read === 'object' ? read.domain : '';
}

/** `PUT /orders/{public_id}/registrant`: who the domain is registered for. */
export const setRegistrantRoute = partnerRoute({
  method: 'PUT',
  path: '/v1/orders/:public_id/registrant',
  operationId: 'setRegistrant',
  summary: 'Say who the domain of an order is registered for.',
  description:
    'Possible until the domain is delivered. An order with `action_required: registrant_required` goes on then. What the TLD asks for is in `registrant_schema` of its metadata.',
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
    const cursors = context.cursors.of(['orders', filters], BY_TIME);
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
  summary: 'Read an order with its timeline, as JSON or its newest document as PDF.',
  description: 'The PDF is the credit note of a refunded order, and the invoice of others.',
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
      description: 'Shown this once. Give it to your registrar and keep it to yourselves.',
    }),
    expires_at: Instant,
  },
  {
    title: 'AuthCode',
    description: 'What your registrar needs to ask the registry for the domain (RFC 9154).',
  },
);

/** `POST /orders/{public_id}/auth-code`: the code by which the partner's registrar fetches a sold domain. */
export const issueAuthCodeRoute = partnerRoute({
  method: 'POST',
  path: '/v1/orders/:public_id/auth-code',
  operationId: 'issueAuthCode',
  summary: 'Get the authorization code of a sold domain, to fetch it to your registrar.',
  description:
    'For orders whose delivery is `partner_registrar`, once the domain is free to go (`transfer.released`). Each call makes a fresh code and ends the one before it. We approve the transfer that is asked for with it.',
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

/** An order as partners see it. */
export function orderView(order: Order) {
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    payment_model: order.paymentModel,
    sale_price_cents: order.price.amount,
    commission_cents: order.commission.amount,
    amount_owed_cents: order.amountOwed.amount,
    currency: order.price.currency,
    buyer: { email: order.buyerEmail, name: order.buyerName, country: order.buyerCountry },
    quote_id: order.quoteId,
    external_payment_ref: order.externalPaymentRef,
    return_url: order.returnUrl,
    cancel_url: order.cancelUrl,
    environment: order.environment,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    transfer_completed_at: order.transferCompletedAt?.toISOString() ?? null,
    settled_at: order.settledAt?.toISOString() ?? null,
    settlement_id: order.settlementId,
    refunded_at: order.refundedAt?.toISOString() ?? null,
    checkout_session_id: order.checkoutSessionId,
    action_required: order.actionRequired,
  };
}

/** The same with timeline, transfer, refund and documents. */
export function orderDetailView(
  context: Pick<PartnerContext, 'config'>,
  detail: {
    order: Order;
    timeline: readonly TimelineEntry[];
    transfer: TransferSummary | null;
    delivery: DeliverySummary;
    refund: RefundSummary | null;
    documents: readonly DocumentSummary[];
  },
) {
  const { transfer, delivery, refund } = detail;
  return {
    ...orderView(detail.order),
    timeline: detail.timeline.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
    transfer: transfer && {
      id: transfer.id,
      status: transfer.status,
      method: transfer.method,
      registrar: transfer.registrar,
      attempts: transfer.attempts,
      reason: transfer.reason,
      updated_at: transfer.updatedAt.toISOString(),
    },
    delivery: {
      method: delivery.method,
      status: delivery.status,
      since: delivery.since?.toISOString() ?? null,
      expires_at: delivery.expiresAt?.toISOString() ?? null,
      requested_by: delivery.requestedBy,
      next_step: nextStepOf(delivery),
    },
    refund: refund && {
      id: refund.id,
      status: refund.status,
      reason: refund.reason,
      created_at: refund.createdAt.toISOString(),
      completed_at: refund.completedAt?.toISOString() ?? null,
    },
    documents: detail.documents.map((document) => documentView(context, document)),
  };
}
