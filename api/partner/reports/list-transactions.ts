import type { PaymentModel } from '../../../shared/orders/order.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../shared/orders/order-states.ts';
import { readTransactions, streamTransactions } from '../../../shared/reports/read-transactions.ts';
import {
  PAYMENT_MODELS,
  type TransactionFilter,
  type TransactionPosition,
} from '../../../shared/reports/transaction.ts';
import { csvOf, wantsCsv } from '../../http/csv.ts';
import { type CursorPosition, parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { TransactionListQuery, TransactionListView } from './report.schema.ts';
import { TRANSACTION_COLUMNS, totalsView, transactionView } from './report.view.ts';

/** Rows that a CSV has in memory at a time. */
const CSV_BATCH = 1_000;

/** `GET /transactions`: sales, refunds and clawbacks, newest first, with the totals over the whole filter. */
export const listTransactionsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/transactions',
  operationId: 'listTransactions',
  summary: 'List your sales, refunds and clawbacks with totals, as JSON or CSV.',
  description: '`totals` are over the whole filter, not the page.',
  scopes: ['report'],
  limit: 'reporting',
  query: TransactionListQuery,
  responses: { 200: TransactionListView },
  alternative: 'text/csv',
  async handler(context, { caller, query, accept }) {
    const { limit, cursor, ...filters } = query;
    const position = await context.cursors.read(cursor, ['transactions', filters]);
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
      const chunks = csvOf(pages, TRANSACTION_COLUMNS, transactionView);
      return { status: 200, stream: { contentType: 'text/csv', chunks } };
    }
    const { transactions, totals, next } = await readTransactions(context, caller, filter, {
      before: position && toPosition(position),
      limit,
    });
    return reply(200, {
      transactions: transactions.map(transactionView),
      totals: totals.map(totalsView),
      next_cursor:
        next && (await context.cursors.write(fromPosition(next), ['transactions', filters])),
    });
  },
});

function toPosition([createdAt, orderId, reversal]: CursorPosition): TransactionPosition {
  return {
    createdAt: new Date(Number(createdAt)),
    orderId: String(orderId),
    reversal: reversal === 1,
  };
}

function fromPosition({ createdAt, orderId, reversal }: TransactionPosition): CursorPosition {
  return [createdAt.getTime(), orderId, reversal ? 1 : 0];
}
