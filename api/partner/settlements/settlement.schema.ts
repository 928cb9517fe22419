import { Type } from 'typebox';
import { PAYMENT_MODELS } from '../../../shared/reports/transaction.ts';
import { STATEMENT_STATUSES } from '../../../shared/settlements/settlement.ts';
import { PageQuery, PeriodQuery } from '../../http/pagination.ts';
import { enumList, Instant, nullable } from '../../http/schema.ts';

/** A JSON answer holds this many lines at most; a longer statement goes on at `next_cursor`. */
export const MAX_LINES = 1_000;

export const SettlementListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(STATEMENT_STATUSES),
});

export const SettlementParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const SettlementQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LINES,
    default: MAX_LINES,
    description: 'Lines a page; a CSV has them all.',
  }),
  cursor: PageQuery.cursor,
});

const settlementFields = {
  id: Type.String(),
  period_start: Instant,
  period_end: Instant,
  status: Type.Enum([...STATEMENT_STATUSES]),
  currency: Type.String(),
  orders_count: Type.Integer({ minimum: 0 }),
  gross_sold_cents: Type.Integer({ minimum: 0 }),
  commission_retained_cents: Type.Integer({ minimum: 0 }),
  adjustments_cents: Type.Integer({ maximum: 0, description: 'What clawbacks took back.' }),
  amount_owed_cents: Type.Integer({
    description: 'The sum of the lines; negative when you are owed.',
  }),
  closed_at: nullable(Instant),
  due_at: nullable(Instant),
};

export const SettlementListView = Type.Object(
  {
    settlements: Type.Array(Type.Object(settlementFields)),
    next_cursor: nullable(Type.String()),
  },
  {
    title: 'SettlementList',
    description: 'Statements, the running period first, then newest first.',
  },
);

export const SettlementDetailView = Type.Object(
  {
    ...settlementFields,
    lines: Type.Array(
      Type.Object({
        order_id: Type.String(),
        type: Type.Enum(['sale', 'clawback']),
        domain: Type.String(),
        payment_model: Type.Enum([...PAYMENT_MODELS]),
        sale_price_cents: Type.Integer(),
        commission_cents: Type.Integer(),
        amount_owed_cents: Type.Integer(),
        currency: Type.String(),
        occurred_at: Instant,
      }),
    ),
    next_cursor: nullable(Type.String()),
  },
  {
    title: 'SettlementDetail',
    description: 'A statement with its lines, oldest first. CSV with `Accept: text/csv`.',
  },
);
