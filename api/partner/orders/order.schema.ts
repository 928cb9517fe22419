import { Type } from 'typebox';
import { ORDER_STATUSES } from '../../../shared/orders/order-states.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';
import { REFUND_REASONS } from '../../../shared/refunds/refund.ts';
import { PAYMENT_MODELS } from '../../../shared/reports/transaction.ts';
import { TRANSFER_STATUSES } from '../../../shared/transfers/transfer-states.ts';
import { PageQuery, PeriodQuery } from '../../http/pagination.ts';
import { enumList, Instant, nullable } from '../../http/schema.ts';

const price = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_PRICE_CENTS, description });
/** An address that a browser can be sent to. */
export const HttpUrl = Type.String({
  format: 'uri',
  pattern: '^[hH][tT][tT][pP][sS]?://[^/?#]',
  maxLength: 2_048,
});

const OrderStatusField = Type.Enum([...ORDER_STATUSES], {
  title: 'OrderStatus',
  description: 'Where an order stands.',
});

export const OrderInput = Type.Object(
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
    buyer: Type.Object({
      email: Type.String({ format: 'email', maxLength: 254 }),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      country: Type.Optional(
        Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' }),
      ),
    }),
    return_url: Type.Optional(HttpUrl),
    cancel_url: Type.Optional(HttpUrl),
    quote_id: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    external_payment_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
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
  },
  {
    title: 'OrderDetail',
    description: 'A sale with its timeline, its transfer and its newest refund.',
  },
);

export const OrderListView = Type.Object(
  {
    orders: Type.Array(OrderView),
    next_cursor: nullable(Type.String()),
  },
  { title: 'OrderList', description: 'Orders, newest first.' },
);

export const OrderListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(ORDER_STATUSES),
  domain: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

export const OrderParams = Type.Object({ public_id: Type.String({ minLength: 1, maxLength: 64 }) });
