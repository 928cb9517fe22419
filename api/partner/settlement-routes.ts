import { Type } from 'typebox';
import { listDocuments } from '../../shared/messaging/documents/read-documents.ts';
import { PAYMENT_MODELS } from '../../shared/sales/orders/order.ts';
import {
  getSettlement,
  type LinePosition,
  listSettlements,
  type StatementPosition,
  streamStatementLines,
} from '../../shared/settlement/statements/read-statements.ts';
import {
  STATEMENT_STATUSES,
  type Statement,
  type StatementLine,
  type StatementStatus,
} from '../../shared/settlement/statements/statement.ts';
import { enumList, Instant, nullable, parseEnumList } from '../http/common-schemas.ts';
import { csvReply, wantsCsv } from '../http/csv.ts';
import { PageQuery, PeriodQuery, type PositionFormat, parsePeriod } from '../http/pagination.ts';
import { wantsPdf } from '../http/pdf.ts';
import { reply } from '../http/reply.ts';
import { DocumentView, documentView, pdfOfDocuments } from './document-routes.ts';
import { partnerRoute } from './partner-route.ts';

/** The maximum number of lines in a JSON response; a longer statement continues at `next_cursor`. */
export const MAX_LINES = 1_000;

const SettlementListQuery = Type.Object({
  ...PageQuery,
  ...PeriodQuery,
  status: enumList(STATEMENT_STATUSES),
});

const SettlementParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

const SettlementQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LINES,
    default: MAX_LINES,
    description: 'Lines per page. A CSV has all of them.',
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
  adjustments_cents: Type.Integer({ maximum: 0, description: 'The sum of clawbacks.' }),
  amount_owed_cents: Type.Integer({
    description: 'The sum of the lines; negative if we owe you.',
  }),
  closed_at: nullable(Instant),
  due_at: nullable(Instant),
};

const SettlementListView = Type.Object(
  {
    settlements: Type.Array(Type.Object(settlementFields)),
    next_cursor: nullable(Type.String()),
  },
  {
    title: 'SettlementList',
    description: 'Statements: the current period first, then newest first.',
  },
);

/** Also the columns of the CSV. */
export const LineView = Type.Object({
  order_id: Type.String(),
  type: Type.Enum(['sale', 'clawback']),
  domain: Type.String(),
  payment_model: Type.Enum([...PAYMENT_MODELS]),
  sale_price_cents: Type.Integer(),
  commission_cents: Type.Integer(),
  amount_owed_cents: Type.Integer(),
  currency: Type.String(),
  occurred_at: Instant,
});

const SettlementDetailView = Type.Object(
  {
    ...settlementFields,
    lines: Type.Array(LineView),
    next_cursor: nullable(Type.String()),
    documents: Type.Array(DocumentView, { description: 'Empty while the period is open.' }),
  },
  {
    title: 'SettlementDetail',
    description:
      'A statement with its lines, oldest first. CSV with `Accept: text/csv`, PDF with `Accept: application/pdf`.',
  },
);

/** `GET /settlements`: lists the open period, then the statements, newest first. */
export const listSettlementsRoute = partnerRoute({
  method: 'GET',
  path: '/v1/settlements',
  operationId: 'listSettlements',
  summary: 'List your settlement statements, the running period first.',
  scopes: ['buy'],
  limit: 'reporting',
  query: SettlementListQuery,
  responses: { 200: SettlementListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const cursors = context.cursors.ofPartner(caller, ['settlements', filters], BY_STATEMENT);
    const after = await cursors.read(cursor);
    const { rows, next } = await listSettlements(context, caller, {
      ...parsePeriod(filters),
      statuses: parseEnumList<StatementStatus>('/status', filters.status, STATEMENT_STATUSES),
      after,
      limit,
    });
    const next_cursor = await cursors.write(next);
    return reply(200, { settlements: rows.map(settlementView), next_cursor });
  },
});

const BY_STATEMENT: PositionFormat<StatementPosition> = {
  write: (at) => [at.part, at.part === 'running' ? at.currency : at.id],
  read: ([part, key]) =>
    part === 'running' ? { part, currency: String(key) } : { part: 'stored', id: String(key) },
};

/** `GET /settlements/{id}`: a statement with its lines; as CSV with all of them at once. */
export const getSettlementRoute = partnerRoute({
  method: 'GET',
  path: '/v1/settlements/:id',
  operationId: 'getSettlement',
  summary: 'Read a settlement statement with its lines, as JSON, CSV or PDF.',
  scopes: ['buy'],
  limit: 'reporting',
  params: SettlementParams,
  query: SettlementQuery,
  responses: { 200: SettlementDetailView },
  alternatives: ['text/csv', 'application/pdf'],
  async handler(context, { caller, params, query, accept }) {
    const cursors = context.cursors.ofPartner(caller, ['settlement', params.id], BY_LINE);
    const after = await cursors.read(query.cursor);
    if (wantsCsv(accept)) {
      const start = { after: null, limit: MAX_LINES };
      const first = await getSettlement(context, caller, params.id, start);
      const pages = streamStatementLines(context, caller, first, MAX_LINES);
      return csvReply(pages, LineView, (line) => lineView(line, first.statement.currency));
    }
    const page = { after, limit: query.limit };
    const { statement, lines, next } = await getSettlement(context, caller, params.id, page);
    const documents = await listDocuments(context.db.knex, caller, statement.id);
    if (wantsPdf(accept)) return pdfOfDocuments(context, caller, documents, ['statement']);
    return reply(200, {
      ...settlementView(statement),
      lines: lines.map((line) => lineView(line, statement.currency)),
      next_cursor: await cursors.write(next),
      documents: documents.map((document) => documentView(context, document)),
    });
  },
});

const BY_LINE: PositionFormat<LinePosition> = {
  write: ({ occurredAt, orderId, kind }) => [occurredAt.getTime(), orderId, kind],
  read: ([occurredAt, orderId, kind]) => ({
    occurredAt: new Date(Number(occurredAt)),
    orderId: String(orderId),
    kind: kind === 'clawback' ? 'clawback' : 'sale',
  }),
};

/** Returns a statement as partners see it. */
export function settlementView(statement: Statement) {
  return {
    id: statement.id,
    period_start: statement.periodStart.toISOString(),
    period_end: statement.periodEnd.toISOString(),
    status: statement.status,
    currency: statement.currency,
    orders_count: statement.ordersCount,
    gross_sold_cents: statement.grossSoldCents,
    commission_retained_cents: statement.commissionRetainedCents,
    adjustments_cents: statement.adjustmentsCents,
    amount_owed_cents: statement.amountOwedCents,
    closed_at: statement.closedAt?.toISOString() ?? null,
    due_at: statement.dueAt?.toISOString() ?? null,
  };
}

export function lineView(line: StatementLine, currency: string) {
  return {
    order_id: line.orderId,
    type: line.kind,
    domain: line.domain,
    payment_model: line.paymentModel,
    sale_price_cents: line.salePriceCents,
    commission_cents: line.commissionCents,
    amount_owed_cents: line.amountOwedCents,
    currency,
    occurred_at: line.occurredAt.toISOString(),
  };
}
