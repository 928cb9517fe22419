import { type Static, Type } from 'typebox';
import {
  MAX_STREET_LINES,
  REGISTRANT_LENGTHS,
} from '../../shared/domains/registrants/registrant.ts';
import type { DocumentSummary } from '../../shared/messaging/documents/document.ts';
import { DELIVERY_METHODS } from '../../shared/people/partners/partner.ts';
import { parseCountry } from '../../shared/platform/countries.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { CURRENCY_CODE } from '../../shared/platform/json-schema.ts';
import { MAX_PRICE_CENTS } from '../../shared/platform/money.ts';
import { oneLineText } from '../../shared/platform/one-line.ts';
import {
  type Buyer,
  type DeliveryWish,
  ORDER_ACTIONS,
  ORDER_STATUSES,
  type Order,
  PAYMENT_MODELS,
  type TimelineEntry,
} from '../../shared/sales/orders/order.ts';
import type {
  DeliverySummary,
  RefundSummary,
  TransferSummary,
} from '../../shared/sales/orders/read-orders.ts';
import { REFUND_REASONS } from '../../shared/sales/refunds/refund.ts';
import { nextStepOf } from '../../shared/sales/transfers/delivery-steps.ts';
import { SHOWN_DELIVERY_STATUSES } from '../../shared/sales/transfers/domain-delivery.ts';
import { TRANSFER_STATUSES } from '../../shared/sales/transfers/transfer.ts';
import { CountryField, HttpUrl, Instant, nullable } from '../http/common-schemas.ts';
import { DocumentView, documentView } from './document-routes.ts';
import type { PartnerContext } from './partner-route.ts';

const price = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS, description });

const OrderStatusField = Type.Enum([...ORDER_STATUSES], {
  title: 'OrderStatus',
  description: 'The status of an order.',
});

/** The buyer of an order. */
export const BuyerInput = Type.Object({
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.Optional(oneLineText({ minLength: 1, maxLength: 200 })),
  country: Type.Optional(CountryField),
});

/** Reads the buyer from a request. @throws validation_error */
export function readBuyer({ email, name, country }: Static<typeof BuyerInput>): Buyer {
  return {
    email,
    name: name ?? null,
    country: country === undefined ? null : parseCountry('/buyer/country', country),
  };
}

/** The registrant of a domain; the rules of its TLD are stricter than this schema. */
export const RegistrantInput = Type.Object(
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
          description: 'Extra fields the TLD requires: see `registrant_schema` in its metadata.',
        },
      ),
    ),
  },
  {
    title: 'Registrant',
    description: 'The registrant of a domain.',
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
        '`account`: the buyer claims the domain into an account with us. `partner_registrar`: you transfer it to your registrar with an authorization code.',
    }),
    registrar_id: Type.Optional(
      oneLineText({
        minLength: 1,
        maxLength: 64,
        description:
          "The registry's name for your registrar. Transfers requested by any other registrar are rejected.",
      }),
    ),
  },
  { title: 'OrderDeliveryInput', description: 'How the domain is transferred to its buyer.' },
);

/** Reads the delivery that a request asks for. @throws validation_error */
export function readDeliveryWish({
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

export const OrderInput = Type.Object(
  {
    domain: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Optional with `quote_id`; if you send both, they must match.',
      }),
    ),
    expected_price: Type.Optional(
      price('Minor units. Must be the current price. Optional with `quote_id`.'),
    ),
    sale_price_cents: Type.Optional(price('Another name for `expected_price`.')),
    currency: Type.Optional(
      Type.String({
        pattern: CURRENCY_CODE,
        description: "ISO 4217. Defaults to the quote's, or to USD without `quote_id`.",
      }),
    ),
    premium_renewal_fee_cents: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_PRICE_CENTS,
        description:
          'Required for a premium domain: the `renewal_fee_cents` of its `premium`, which you showed to the buyer.',
      }),
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
    description: 'The amount you owe for it now; 0 once it is refunded or canceled.',
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
      '`registrant_required`: the transfer starts once the registrant is set. Null if no action is needed.',
  }),
};

export const OrderView = Type.Object(orderFields, { title: 'Order', description: 'A sale.' });

export const OrderDetailView = Type.Object(
  {
    ...orderFields,
    timeline: Type.Array(
      Type.Object(
        {
          at: Instant,
          status: OrderStatusField,
          event: Type.String({ description: 'The type of the event that announced it.' }),
          note: nullable(Type.String()),
        },
        { title: 'TimelineEntry', description: 'A step of an order, with its status afterwards.' },
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
              'Null while the domain is being transferred to us, and where our staff or the sandbox confirms the delivery.',
          }),
        ),
        since: nullable(Instant),
        expires_at: nullable({
          ...Instant,
          description: 'When the claim link or authorization code expires.',
        }),
        requested_by: nullable(
          Type.String({ description: 'The registrar that requested the domain.' }),
        ),
        next_step: nullable(Type.String({ description: 'Who needs to do what, in plain words.' })),
      },
      {
        title: 'OrderDelivery',
        description: 'How the domain is transferred to its buyer, and the status of the transfer.',
      },
    ),
    refund: nullable(
      Type.Object({
        id: Type.String(),
        status: Type.Enum(['pending', 'completed', 'declined'], {
          description:
            '`pending` while the push of the domain is being stopped; `declined` if it could not be stopped and the domain was delivered.',
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

export const OrderListView = Type.Object(
  {
    orders: Type.Array(OrderView),
    next_cursor: nullable(Type.String()),
  },
  { title: 'OrderList', description: 'Orders, newest first.' },
);

export const OrderParams = Type.Object({ public_id: Type.String({ minLength: 1, maxLength: 64 }) });

/** Returns an order as partners see it. */
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

/** Like {@link orderView}, with timeline, transfer, refund and documents. */
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
