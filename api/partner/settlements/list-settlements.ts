import {
  listSettlements,
  type StatementPosition,
} from '../../../shared/settlements/list-settlements.ts';
import {
  STATEMENT_STATUSES,
  type StatementStatus,
} from '../../../shared/settlements/settlement.ts';
import { type CursorPosition, parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { SettlementListQuery, SettlementListView } from './settlement.schema.ts';
import { settlementView } from './settlement.view.ts';

/** `GET /settlements`: the running period, then the statements, newest first. */
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
    const position = await context.cursors.read(cursor, ['settlements', filters]);
    const { statements, next } = await listSettlements(context, caller, {
      ...parsePeriod(filters),
      statuses: parseEnumList<StatementStatus>('/status', filters.status, STATEMENT_STATUSES),
      after: position && toStatementPosition(position),
      limit,
    });
    return reply(200, {
      settlements: statements.map(settlementView),
      next_cursor:
        next &&
        (await context.cursors.write(fromStatementPosition(next), ['settlements', filters])),
    });
  },
});

function toStatementPosition([part, key]: CursorPosition): StatementPosition {
  return part === 'running' ? { part, currency: String(key) } : { part: 'stored', id: String(key) };
}

function fromStatementPosition(position: StatementPosition): CursorPosition {
  return [position.part, position.part === 'running' ? position.currency : position.id];
}
