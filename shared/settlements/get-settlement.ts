import { fail } from '../platform/errors.ts';
import type { Runtime } from '../runtime.ts';
import { listRunning, runningScope } from './list-settlements.ts';
import type { Statement, StatementLine, StatementOwner } from './settlement.ts';
import { findStatement, type LinePosition, listRunningLines } from './statement-read.store.ts';

export type { LinePosition };

type Scope = Pick<Runtime, 'db' | 'clock' | 'config'>;

export interface LinePage {
  after: LinePosition | null;
  limit: number;
}

export interface StatementDetail {
  statement: Statement;
  lines: StatementLine[];
  /** Where the next page goes on, null on the last one. */
  next: LinePosition | null;
}

/**
 * A statement of this partner with a page of its lines, oldest first; a running one as it stands now.
 * @throws not_found
 */
export async function getSettlement(
  scope: Scope,
  owner: StatementOwner,
  id: string,
  page: LinePage,
): Promise<StatementDetail> {
  const wanted = { after: page.after, limit: page.limit + 1 };
  const stored = await findStatement(scope.db.knex, owner, id, wanted);
  if (stored) return toDetail(stored.statement, stored.lines, page.limit);
  const running = (await listRunning(scope, owner)).find((statement) => statement.id === id);
  if (!running) throw fail('not_found', { message: 'No settlement of yours has this id.' });
  const scopeOfNow = runningScope(scope, owner);
  const lines = await listRunningLines(scope.db.knex, owner, running.currency, wanted, scopeOfNow);
  return toDetail(running, lines, page.limit);
}

/** Every line of a statement, a page in memory at a time. */
export async function* streamStatementLines(
  scope: Scope,
  owner: StatementOwner,
  first: StatementDetail,
  pageSize: number,
): AsyncGenerator<StatementLine[]> {
  let page = first;
  for (;;) {
    yield page.lines;
    if (page.next === null) return;
    const at = { after: page.next, limit: pageSize };
    page = await getSettlement(scope, owner, first.statement.id, at);
  }
}

function toDetail(statement: Statement, found: StatementLine[], limit: number): StatementDetail {
  const lines = found.slice(0, limit);
  const last = lines.at(-1);
  const next =
    found.length > limit && last
      ? { occurredAt: last.occurredAt, orderId: last.orderId, kind: last.kind }
      : null;
  return { statement, lines, next };
}
