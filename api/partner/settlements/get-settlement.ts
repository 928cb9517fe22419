import {
  getSettlement,
  type LinePosition,
  streamStatementLines,
} from '../../../shared/settlements/get-settlement.ts';
import { wantsCsv } from '../../http/csv.ts';
import type { CursorPosition } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import {
  MAX_LINES,
  SettlementDetailView,
  SettlementParams,
  SettlementQuery,
} from './settlement.schema.ts';
import { linesAsCsv, lineView, settlementView } from './settlement.view.ts';

/** `GET /settlements/{id}`: a statement with its lines, all of them at once as CSV. */
export const getSettlementRoute = partnerRoute({
  method: 'GET',
  path: '/v1/settlements/:id',
  operationId: 'getSettlement',
  summary: 'Read a settlement statement with its lines, as JSON or CSV.',
  scopes: ['buy'],
  limit: 'reporting',
  params: SettlementParams,
  query: SettlementQuery,
  responses: { 200: SettlementDetailView },
  alternative: 'text/csv',
  async handler(context, { caller, params, query, accept }) {
    const filters = ['settlement', params.id];
    const position = await context.cursors.read(query.cursor, filters);
    if (wantsCsv(accept)) {
      const first = await getSettlement(context, caller, params.id, {
        after: null,
        limit: MAX_LINES,
      });
      const pages = streamStatementLines(context, caller, first, MAX_LINES);
      return {
        status: 200,
        stream: { contentType: 'text/csv', chunks: linesAsCsv(pages, first.statement.currency) },
      };
    }
    const { statement, lines, next } = await getSettlement(context, caller, params.id, {
      after: position && toLinePosition(position),
      limit: query.limit,
    });
    return reply(200, {
      ...settlementView(statement),
      lines: lines.map((line) => lineView(line, statement.currency)),
      next_cursor: next && (await context.cursors.write(fromLinePosition(next), filters)),
    });
  },
});

function toLinePosition([occurredAt, orderId, kind]: CursorPosition): LinePosition {
  return {
    occurredAt: new Date(Number(occurredAt)),
    orderId: String(orderId),
    kind: kind === 'clawback' ? 'clawback' : 'sale',
  };
}

function fromLinePosition({ occurredAt, orderId, kind }: LinePosition): CursorPosition {
  return [occurredAt.getTime(), orderId, kind];
}
