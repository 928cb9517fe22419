import { Type } from 'typebox';
import { listDocuments } from '../../shared/messaging/documents/read-documents.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_MODELS,
  type PaymentModel,
} from '../../shared/sales/orders/order.ts';
import {
  PAYOUT_SOURCES,
  PAYOUT_STATUSES,
  type Payout,
  type PayoutStatus,
} from '../../shared/settlement/payouts/payout.ts';
import {
  getPayout,
  listPayouts,
  streamPayouts,
} from '../../shared/settlement/payouts/read-payouts.ts';
import {
  TRANSACTION_TYPES,
  type Transaction,
  type TransactionFilter,
  type TransactionPosition,
  type TransactionTotals,
} from '../../shared/settlement/reports/transaction.ts';
import {
  readTransactions,
  streamTransactions,
} from '../../shared/settlement/reports/transaction-report.ts';
import { enumList, Instant, nullable, parseEnumList } from '../http/common-schemas.ts';
import { csvReply, wantsCsv } from '../http/csv.ts';
import {
  BY_TIME,
  PageQuery,
  PeriodQuery,
  type PositionFormat,
  parsePeriod,
} from '../http/pagination.ts';
import { wantsPdf } from '../http/pdf.ts';
import { reply } from '../http/reply.ts';
import { DocumentView, documentView, pdfOfDocuments } from './document-routes.ts';
import { partnerRoute } from './partner-route.ts';

const TransactionListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(ORDER_STATUSES),
  payment_model: enumList(PAYMENT_MODELS),
});

/** Also the columns of the CSV. */
const TransactionView = Type.Object({
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
});

const TransactionListView = Type.Object(
  {
    transactions: Type.Array(TransactionView),
    totals: Type.Array(
      Type.Object({
        currency: Type.String(),
        count: Type.Integer({
          minimum: 0,
          description: 'The number of transactions of all types.',
        }),
        gmv_cents: Type.Integer({ description: 'The sum of `sale_price_cents`.' }),
        commission_cents: Type.Integer(),
      }),
      { description: 'One per currency, over all matching rows.' },
    ),
    next_cursor: nullable(Type.String()),
  },
  {
    title: 'TransactionList',
    description: 'Transactions, newest first. CSV with `Accept: text/csv`.',
  },
);

const PayoutListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(PAYOUT_STATUSES),
});

/** Also the columns of the CSV. */
const PayoutView = Type.Object({
  id: Type.String(),
  source: Type.Enum([...PAYOUT_SOURCES]),
  amount_cents: Type.Integer({ minimum: 1 }),
  currency: Type.String(),
  status: Type.Enum([...PAYOUT_STATUSES]),
  settlement_id: nullable(Type.String()),
  reference: nullable(Type.String()),
  created_at: Instant,
  paid_at: nullable(Instant),
});

const PayoutListView = Type.Object(
  {
    payouts: Type.Array(PayoutView),
    next_cursor: nullable(Type.String()),
  },
  { title: 'PayoutList', description: 'Payouts, newest first. CSV with `Accept: text/csv`.' },
);

/** How many rows a CSV export holds in memory at a time. */
const CSV_BATCH = 1_000;

/** `GET /transactions`: lists sales, refunds and clawbacks, newest first, with totals over the whole filter. */
export const listTransactionsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/transactions',
  operationId: 'listTransactions',
  summary: 'List your sales, refunds and clawbacks with totals, as JSON or CSV.',
  description: '`totals` cover all matching rows, not just this page.',
  scopes: ['report'],
  limit: 'reporting',
  query: TransactionListQuery,
  responses: { 200: TransactionListView },
  alternatives: ['text/csv'],
  async handler(context, { caller, query, accept }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['transactions', filters], BY_TRANSACTION);
    const before = await cursors.read(cursor);
    const filter: TransactionFilter = {
      ...parsePeriod(filters),
      statuses: parseEnumList<OrderStatus>('/status', filters.status, ORDER_STATUSES),
      paymentModels: parseEnumList<PaymentModel>(
        '/payment_model',
        filters.payment_model,
        PAYMENT_MODELS,
      ),
    };
    if (wantsCsv(accept)) {
      const pages = streamTransactions(context, caller, filter, CSV_BATCH);
      return csvReply(pages, TransactionView, transactionView);
    }
    const page = { before, limit };
    const { rows, totals, next } = await readTransactions(context, caller, filter, page);
    return reply(200, {
      transactions: rows.map(transactionView),
      totals: totals.map(totalsView),
      next_cursor: await cursors.write(next),
    });
  },
});

export const BY_TRANSACTION: PositionFormat<TransactionPosition> = {
  write: ({ createdAt, orderId, reversal }) => [createdAt.getTime(), orderId, reversal ? 1 : 0],
  read: ([createdAt, orderId, reversal]) => ({
    createdAt: new Date(Number(createdAt)),
    orderId: String(orderId),
    reversal: reversal === 1,
  }),
};

/** `GET /payouts`: lists past and future payouts to the partner, newest first. */
export const listPayoutsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/payouts',
  operationId: 'listPayouts',
  summary: 'List the payouts made to you, as JSON or CSV.',
  scopes: ['report'],
  limit: 'reporting',
  query: PayoutListQuery,
  responses: { 200: PayoutListView },
  alternatives: ['text/csv'],
  async handler(context, { caller, query, accept }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['payouts', filters], BY_TIME);
    const before = await cursors.read(cursor);
    const filter = {
      ...parsePeriod(filters),
      statuses: parseEnumList<PayoutStatus>('/status', filters.status, PAYOUT_STATUSES),
    };
    if (wantsCsv(accept)) {
      const pages = streamPayouts(context, caller, { ...filter, limit: CSV_BATCH });
      return csvReply(pages, PayoutView, payoutView);
    }
    const { rows, next } = await listPayouts(context, caller, { ...filter, before, limit });
    return reply(200, { payouts: rows.map(payoutView), next_cursor: await cursors.write(next) });
  },
});

const PayoutParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

const PayoutDetailView = Type.Object(
  {
    ...PayoutView.properties,
    documents: Type.Array(DocumentView, {
      description: 'The remittance advice, once the payout is paid.',
    }),
  },
  { title: 'PayoutDetail', description: 'A payout with its documents.' },
);

/** `GET /payouts/{id}`: one payout, or its payment advice as PDF. */
export const getPayoutRoute = partnerRoute({
  method: 'GET',
  path: '/v1/payouts/:id',
  operationId: 'getPayout',
  summary: 'Read a payout, as JSON or its advice as PDF.',
  scopes: ['report'],
  limit: 'reporting',
  params: PayoutParams,
  responses: { 200: PayoutDetailView },
  alternatives: ['application/pdf'],
  async handler(context, { caller, params, accept }) {
    const payout = await getPayout(context, caller, params.id);
    const documents = await listDocuments(context.db.knex, caller, payout.id);
    if (wantsPdf(accept)) return pdfOfDocuments(context, caller, documents, ['payout_advice']);
    return reply(200, {
      ...payoutView(payout),
      documents: documents.map((document) => documentView(context, document)),
    });
  },
});

/** Returns a transaction as partners see it. */
function transactionView(transaction: Transaction) {
  return {
    id: transaction.id,
    order_id: transaction.orderId,
    domain: transaction.domain,
    type: transaction.type,
    status: transaction.status,
    payment_model: transaction.paymentModel,
    sale_price_cents: transaction.salePriceCents,
    commission_cents: transaction.commissionCents,
    currency: transaction.currency,
    created_at: transaction.createdAt.toISOString(),
  };
}

function totalsView(totals: TransactionTotals) {
  return {
    currency: totals.currency,
    count: totals.count,
    gmv_cents: totals.gmvCents,
    commission_cents: totals.commissionCents,
  };
}

/** Returns a payout as partners see it. */
export function payoutView(payout: Payout) {
  return {
    id: payout.id,
    source: payout.source,
    amount_cents: payout.amount.amount,
    currency: payout.amount.currency,
    status: payout.status,
    settlement_id: payout.settlementId,
    reference: payout.reference,
    created_at: payout.createdAt.toISOString(),
    paid_at: payout.paidAt?.toISOString() ?? null,
  };
}
