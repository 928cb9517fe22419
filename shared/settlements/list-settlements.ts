import type { SettlementPeriod } from '../partners/partner.ts';
import type { Runtime } from '../runtime.ts';
import { periodContaining } from './periods.ts';
import {
  type Statement,
  type StatementOwner,
  type StatementStatus,
  settlementDelayMs,
  statementId,
} from './settlement.ts';
import { listStatements, type RunningScope, type RunningTotals } from './statement-read.store.ts';

type Deps = Pick<Runtime, 'db' | 'clock' | 'config'>;

/** The last row of a page: a running statement by its currency, or a stored one by its id. */
export type StatementPosition =
  | { part: 'running'; currency: string }
  | { part: 'stored'; id: string };

export interface StatementQuery {
  /** Of the period's start; the end is exclusive. */
  from: Date | null;
  to: Date | null;
  statuses: readonly StatementStatus[] | null;
  after: StatementPosition | null;
  limit: number;
}

/**
 * A page of statements: what the running period holds so far first, one statement a currency, then the
 * stored ones, newest period first.
 */
export async function listSettlements(
  scope: Deps,
  owner: StatementOwner,
  query: StatementQuery,
): Promise<{ statements: Statement[]; next: StatementPosition | null }> {
  const { after, limit, from, to, statuses } = query;
  const found = await listStatements(
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
  const all = [...running, ...found.stored];
  const statements = all.slice(0, limit);
  const last = statements.at(-1);
  if (all.length <= limit || !last) return { statements, next: null };
  const next: StatementPosition =
    statements.length <= running.length
      ? { part: 'running', currency: last.currency }
      : { part: 'stored', id: last.id };
  return { statements, next };
}

/** The running statements of a partner, one a currency. */
export async function listRunning(scope: Deps, owner: StatementOwner): Promise<Statement[]> {
  const nothing = { from: null, to: null, statuses: [], before: null, limit: 0 };
  const { running } = await listStatements(
    scope.db.knex,
    owner,
    nothing,
    runningScope(scope, owner),
  );
  return running.map((totals) => runningStatement(scope, owner, totals));
}

export function runningScope({ clock, config }: Deps, owner: StatementOwner): RunningScope {
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

/** The statement that the running period will come to, under the id that it will keep. */
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
