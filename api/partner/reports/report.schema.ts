import { Type } from 'typebox';
import { ORDER_STATUSES } from '../../../shared/orders/order-states.ts';
import { PAYOUT_SOURCES } from '../../../shared/payouts/payout.ts';
import { PAYOUT_STATUSES } from '../../../shared/payouts/payout-states.ts';
import { PAYMENT_MODELS, TRANSACTION_TYPES } from '../../../shared/reports/transaction.ts';
import { PageQuery, PeriodQuery } from '../../http/pagination.ts';
import { enumList, Instant, nullable } from '../../http/schema.ts';

export const TransactionListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(ORDER_STATUSES),
  payment_model: enumList(PAYMENT_MODELS),
});

export const TransactionListView = Type.Object(
  {
    transactions: Type.Array(
      Type.Object({
        id: Type.String(),
        order_id: Type.String(),
        domain: Type.String(),
        type: Type.Enum([...TRANSACTION_TYPES]),
        status: Type.Enum([...ORDER_STATUSES], { description: "The order's, now." }),
        payment_model: Type.Enum([...PAYMENT_MODELS]),
        sale_price_cents: Type.Integer({ description: 'Negative for a refund or clawback.' }),
        commission_cents: Type.Integer({ description: 'Negative for a refund or clawback.' }),
        currency: Type.String(),
        created_at: Instant,
      }),
    ),
    totals: Type.Array(
      Type.Object({
        currency: Type.String(),
        count: Type.Integer({ minimum: 0, description: 'Transactions, of every type.' }),
        gmv_cents: Type.Integer({ description: 'The sum of `sale_price_cents`.' }),
        commission_cents: Type.Integer(),
      }),
      { description: 'Over the whole filter, one a currency.' },
    ),
    next_cursor: nullable(Type.String()),
  },
  {
    title: 'TransactionList',
    description: 'Transactions, newest first. CSV with `Accept: text/csv`.',
  },
);

export const PayoutListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(PAYOUT_STATUSES),
});

export const PayoutListView = Type.Object(
  {
    payouts: Type.Array(
      Type.Object({
        id: Type.String(),
        source: Type.Enum([...PAYOUT_SOURCES]),
        amount_cents: Type.Integer({ minimum: 1 }),
        currency: Type.String(),
        status: Type.Enum([...PAYOUT_STATUSES]),
        settlement_id: nullable(Type.String()),
        reference: nullable(Type.String()),
        created_at: Instant,
        paid_at: nullable(Instant),
      }),
    ),
    next_cursor: nullable(Type.String()),
  },
  { title: 'PayoutList', description: 'Payouts, newest first. CSV with `Accept: text/csv`.' },
);
