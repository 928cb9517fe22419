import type { DocumentSummary } from '../../messaging/documents/document.ts';
import { documentsInRow } from '../../messaging/documents/read-documents.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { SettlementPeriod } from '../../people/partners/partner.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { idPage } from '../../platform/database/id-page.ts';
import { fail } from '../../platform/errors.ts';
import type { Cents } from '../../platform/money.ts';
import { cutPage, idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import {
  type Statement,
  type StatementLine,
  type StatementOwner,
  type StatementStatus,
  settlementDelayMs,
  statementId,
} from './statement.ts';
import { periodContaining } from './statement-period.ts';
import * as store from './statement-read.store.ts';
import {
  type LinePosition,
  type RunningScope,
  type RunningTotals,
  readRunningLines,
  readStatement,
  readStatements,
  type UnpaidStatements,
} from './statement-read.store.ts';

export type { OpsStatement, StoredStatus } from './statement-read.store.ts';

type Deps = { db: Database; clock: Clock; config: Config };

/** The last row of a page: a running statement by its currency, or a stored one by its ID. */
export type StatementPosition =
  | { part: 'running'; currency: string }
  | { part: 'stored'; id: string };

export interface StatementQuery {
  /** The earliest start of a period; the end of the range is exclusive. */
  from: Date | null;
  to: Date | null;
  statuses: readonly StatementStatus[] | null;
  after: StatementPosition | null;
  limit: number;
}

/**
 * Returns a page of statements: first the running period so far, one statement per currency, then the
 * stored ones, newest period first.
 */
export async function listSettlements(
  scope: Deps,
  owner: StatementOwner,
  query: StatementQuery,
): Promise<Page<Statement, StatementPosition>> {
  const { after, limit, from, to, statuses } = query;
  const found = await readStatements(
    scope.db.knex,
    owner,
    {
      from,
      to,
      statuses,
      before: after?.part === 'stored' ? after.id : null,
      limit: limit + 1,
    },
    runningScope(scope, owner),
  );
  const running =
    after?.part === 'stored'
      ? []
      : found.running
          .map((totals) => runningStatement(scope, owner, totals))
          .filter((one) => after === null || one.currency > after.currency)
          .filter((one) => statuses === null || statuses.includes(one.status))
          .filter((one) => from === null || one.periodStart >= from)
          .filter((one) => to === null || one.periodStart < to);
  return cutPage([...running, ...found.stored], limit, (statement) =>
    running.includes(statement)
      ? { part: 'running', currency: statement.currency }
      : { part: 'stored', id: statement.id },
  );
}

/** Returns the running statements of a partner, one per currency. */
async function listRunning(scope: Deps, owner: StatementOwner): Promise<Statement[]> {
  const nothing = { from: null, to: null, statuses: [], before: null, limit: 0 };
  const { running } = await readStatements(
    scope.db.knex,
    owner,
    nothing,
    runningScope(scope, owner),
  );
  return running.map((totals) => runningStatement(scope, owner, totals));
}

/** The balance between a partner and us in a currency. */
export interface Balance {
  currency: string;
  /** Closed statements that the partner has not paid; undefined if none. */
  unpaid: UnpaidStatements | undefined;
  /** The running statement. */
  running: Statement | undefined;
  /** The sum of both; negative if we owe the partner. */
  owedCents: Cents;
}

/** Returns a partner's balances by currency at the time of `scope`: unpaid closed statements and the running period. */
export async function readBalances(scope: Deps, owner: StatementOwner): Promise<Balance[]> {
  const { partnerId, environment } = owner;
  const now = scope.clock.now();
  const [closed, open] = await Promise.all([
    store.selectUnpaid.all(scope.db.knex, { partnerId, environment, now }),
    listRunning(scope, owner),
  ]);
  const currencies = [...new Set([...closed, ...open].map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const unpaid = closed.find((each) => each.currency === currency);
    const running = open.find((each) => each.currency === currency);
    const owedCents = (unpaid?.amountCents ?? 0) + (running?.amountOwedCents ?? 0);
    return { currency, unpaid, running, owedCents };
  });
}

function runningScope({ clock, config }: Deps, owner: StatementOwner): RunningScope {
  const endOf = (kind: SettlementPeriod) => periodContaining(kind, clock.now()).end;
  return {
    ends: {
      monthly: endOf('monthly'),
      semi_monthly: endOf('semi_monthly'),
      weekly: endOf('weekly'),
    },
    delayMs: settlementDelayMs(config, owner.environment),
  };
}

/** Returns the running period as a statement, with the ID that it will keep. */
function runningStatement(
  { clock }: Deps,
  owner: StatementOwner,
  { kind, newestEnd, ...totals }: RunningTotals,
): Statement {
  const { start, end } = periodContaining(kind, clock.now());
  const periodStart = newestEnd !== null && newestEnd > start ? newestEnd : start;
  return {
    partnerId: owner.partnerId,
    environment: owner.environment,
    currency: totals.currency,
    ordersCount: totals.ordersCount,
    grossSoldCents: totals.grossSoldCents,
    commissionRetainedCents: totals.commissionRetainedCents,
    adjustmentsCents: totals.adjustmentsCents,
    amountOwedCents: totals.amountOwedCents,
    id: statementId(owner, totals.currency, periodStart),
    periodStart,
    periodEnd: end,
    status: 'open',
    closedAt: null,
    dueAt: null,
  };
}

export type { LinePosition };

type Scope = { db: Database; clock: Clock; config: Config };

export interface LinePage {
  after: LinePosition | null;
  limit: number;
}

export interface StatementDetail {
  statement: Statement;
  lines: StatementLine[];
  /** Where the next page starts; null on the last page. */
  next: LinePosition | null;
}

/**
 * Returns a partner's statement with a page of its lines, oldest first; a running statement as of now.
 * @throws not_found
 */
export async function getSettlement(
  scope: Scope,
  owner: StatementOwner,
  id: string,
  page: LinePage,
): Promise<StatementDetail> {
  const wanted = { after: page.after, limit: page.limit + 1 };
  const stored = await readStatement(scope.db.knex, owner, id, wanted);
  if (stored) return toDetail(stored.statement, stored.lines, page.limit);
  const running = (await listRunning(scope, owner)).find((statement) => statement.id === id);
  if (!running) throw fail('not_found', { message: 'No settlement of yours has this ID.' });
  const scopeOfNow = runningScope(scope, owner);
  const lines = await readRunningLines(scope.db.knex, owner, running.currency, wanted, scopeOfNow);
  return toDetail(running, lines, page.limit);
}

/** Streams every line of a statement, one page in memory at a time. */
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
  const { rows: lines, next } = cutPage(found, limit, ({ occurredAt, orderId, kind }) => ({
    occurredAt,
    orderId,
    kind,
  }));
  return { statement, lines, next };
}

/** Returns a page of the stored statements of all partners. */
export function listStatementsForOps(
  { db }: { db: Database },
  filter: store.OpsStatementFilter,
  page: ListPage,
): Promise<Page<store.OpsStatement>> {
  const read = (limit: number) =>
    store.selectStatementsForOps[page.sort].all(db.knex, {
      ...filter,
      ...idPage('settlement', page, limit),
    });
  return readPage(page.limit, read, idOf);
}

/** Returns a stored statement of any partner. @throws not_found */
export async function getStatementForOps(
  { db }: { db: Database },
  id: string,
): Promise<store.OpsStatement & { documents: DocumentSummary[] }> {
  const statement = await store.selectStatementForOps.first(db.knex, { id });
  if (!statement) throw fail('not_found', { message: 'No settlement has this ID.' });
  return { ...statement, documents: documentsInRow(statement.documents) };
}
