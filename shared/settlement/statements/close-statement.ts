import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import type { Clock } from '../../platform/clock.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { settleDeliveredOrders } from '../../sales/orders/settle-orders.ts';
import { markCommissionsPending } from '../../sales/referral/commission-lifecycle.ts';
import {
  createCommissionPayouts,
  createStatementPayouts,
  retryFailedPayouts,
} from '../payouts/create-payouts.ts';
import { statementReadyMail } from './statement.mails.ts';
import * as store from './statement.store.ts';
import { type StatementOwner, saleLine, settlementDelayMs, statementId } from './statement.ts';
import { issueStatementDocuments } from './statement-documents.ts';
import { nextStatementPeriod } from './statement-period.ts';

type Deps = { db: Database; clock: Clock; config: Config };

export interface CloseOptions {
  /** Called after every transaction; an error from it stops the close, and a later close continues from there. */
  betweenBatches?: () => void | Promise<void>;
  /** Called in the transaction that closes a statement. */
  onClosed?: (uow: UnitOfWork, settlementId: string) => Promise<void>;
}

/**
 * Settles everything due at `until` for one partner and environment: creates a statement for every currency and
 * calendar period with content. Each transaction takes a bounded batch, so the close can be interrupted anywhere: the
 * next call finishes the same statement. With nothing due it changes nothing, and any number of concurrent calls settle
 * every order exactly once. Also creates payouts. Returns the IDs of the statements that it closed.
 * @throws validation_error if `until` is in the future; not_found for an unknown partner
 */
export async function closePartnerPeriods(
  scope: Deps,
  request: StatementOwner & { until: Date },
  options: CloseOptions = {},
): Promise<string[]> {
  if (request.until > scope.clock.now()) {
    throw invalid([{ path: '/until', message: 'must not be in the future' }]);
  }
  return closePartnerPeriodsUpTo(scope, request, options);
}

/**
 * Like {@link closePartnerPeriods}, for an instant that was already checked: the clock of the process that does it
 * may be behind the clock of the process that requested it.
 */
export async function closePartnerPeriodsUpTo(
  deps: Deps,
  request: StatementOwner & { until: Date },
  options: CloseOptions,
): Promise<string[]> {
  const scope = await inTimeOf(deps, request);
  const { db } = scope;
  const closed: string[] = [];
  for (;;) {
    const statement = await db.transact((uow) => openOrResumeStatement(uow, scope, request));
    if (!statement) break;
    await settleInBatches(scope, statement, options);
    await options.betweenBatches?.();
    const sealed = await db.transact((uow) => finalizeStatement(uow, scope, statement, options));
    if (sealed === 'empty') break;
    if (sealed === 'closed') closed.push(statement.id);
  }
  await db.transact(async (uow) => {
    await store.selectPartnerLock.run(uow.sql, request);
    await retryFailedPayouts(uow, request, request.until);
    await createCommissionPayouts(uow, request, uow.now, uow.now);
  });
  return closed;
}

/** Returns the statement to work on: an interrupted one, or the next one for which work is due. */
async function openOrResumeStatement(
  uow: UnitOfWork,
  { clock, config }: Deps,
  { until, ...owner }: StatementOwner & { until: Date },
): Promise<store.ClosingStatement | undefined> {
  await store.selectPartnerLock.run(uow.sql, owner);
  const settled = await store.selectSettlementPeriod.first(uow.sql, owner);
  if (!settled) throw fail('not_found', { message: 'No partner has this ID.' });
  const interrupted = await store.selectClosing.first(uow.sql, owner);
  if (interrupted) return interrupted;

  const delayMs = settlementDelayMs(config, owner.environment);
  for (const due of await store.readDueWork(uow.sql, owner, { cut: until, delayMs })) {
    const period = nextStatementPeriod({ kind: settled.kind, cut: until, ...due });
    if (!period) continue;
    const statement = {
      ...owner,
      id: statementId(owner, due.currency, period.start),
      currency: due.currency,
      periodEnd: period.end,
    };
    const opened = { ...statement, periodStart: period.start, now: clock.now() };
    await store.insertClosing.run(uow.sql, opened);
    return statement;
  }
  return undefined;
}

/**
 * Settles all orders and clawbacks of the statement. A batch locks the partner's history while recording its events, so
 * its size is limited to delay the partner's sales only briefly.
 */
async function settleInBatches(
  scope: Deps,
  statement: store.ClosingStatement,
  { betweenBatches }: CloseOptions,
): Promise<void> {
  const most = scope.config.settlementBatchSize;
  let limit = Math.min(INITIAL_BATCH_SIZE, most);
  for (;;) {
    await betweenBatches?.();
    const { more, events } = await scope.db.transact(async (uow) => ({
      more: await settleBatch(uow, scope, statement, limit),
      events: uow.events,
    }));
    if (!more) return;
    const now = performance.now();
    limit = nextBatchSize(limit, now - (events.lockedAt ?? now), most);
  }
}

/** Settles up to `limit` orders, then clawbacks; returns false if none are left. */
async function settleBatch(
  uow: UnitOfWork,
  { config }: Deps,
  statement: store.ClosingStatement,
  limit: number,
): Promise<boolean> {
  await store.selectPartnerLock.run(uow.sql, statement);
  if (!(await store.selectStillClosing.first(uow.sql, statement))) return false;
  const orders = await settleDeliveredOrders(uow, statement, {
    currency: statement.currency,
    deliveredBy: addMs(statement.periodEnd, -settlementDelayMs(config, statement.environment)),
    settlementId: statement.id,
    limit,
  });
  if (orders.length > 0) await store.writeSaleLines(uow.sql, statement.id, orders.map(saleLine));
  const full = orders.length === limit;
  const more =
    full || (await store.insertClawbackLines.run(uow.sql, { ...statement, limit })) === limit;
  await markCommissionsPending(uow, orders);
  return more;
}

/**
 * Sums the lines, moves the amount from collected to owed, pays out the commissions on sales that we
 * collected, closes the statement, and issues its documents.
 */
async function finalizeStatement(
  uow: UnitOfWork,
  { config }: Deps,
  statement: store.ClosingStatement,
  options: CloseOptions,
): Promise<'closed' | 'empty' | 'closed_elsewhere'> {
  await store.selectPartnerLock.run(uow.sql, statement);
  const { now } = uow;
  const dueAt = addMs(now, config.settlementDueDays * DAY);
  const totals = await store.closeStatement(uow.sql, statement.id, { now, dueAt });
  if (!totals) return 'closed_elsewhere';
  if (totals.lines === 0) {
    // Happens only if the delay was increased while the statement was half closed.
    await store.deleteEmpty.run(uow.sql, statement);
    return 'empty';
  }
  const { amountOwed } = totals;
  if (amountOwed.amount !== 0) {
    await postEntry(uow, {
      kind: 'settlement',
      reference: statement.id,
      partnerId: statement.partnerId,
      environment: statement.environment,
      orderId: null,
      postings: [
        { account: 'partner_receivable', amount: amountOwed },
        { account: 'partner_clearing', amount: amountOwed.negated() },
      ],
    });
  }
  const commissions = await store.readCommissions(uow.sql, statement.id);
  await createStatementPayouts(uow, statement, commissions);
  const documents = await issueStatementDocuments(uow, config, statement, commissions);
  uow.mails.add(statementReadyMail, {
    to: 'contacts',
    of: statement,
    data: {
      settlementId: statement.id,
      amountOwed,
      periodEnd: statement.periodEnd.toISOString(),
      dueAt: dueAt.toISOString(),
    },
    documents,
  });
  await options.onClosed?.(uow, statement.id);
  return 'closed';
}

/**
 * How long a batch should keep the partner's history locked, which delays its sales. Well below the limit of 200 ms
 * per batch, since batches vary.
 */
const TARGET_LOCK_MS = 75;

/** The first batch size, small enough for any machine; later batches grow. */
const INITIAL_BATCH_SIZE = 100;

/**
 * Returns the size of the next batch, from how long the last one kept the history locked.
 * @param most the configured maximum
 */
function nextBatchSize(size: number, heldMs: number, most: number): number {
  const fitting = Math.floor((size * TARGET_LOCK_MS) / Math.max(heldMs, 1));
  return Math.max(1, Math.min(fitting, 2 * size, most));
}

/** Folds up to `limit` changes into the tallies of running statements; returns how many. Does not change the sums. */
export async function foldUnsettledTallies(
  { db }: { db: Database },
  limit: number,
): Promise<number> {
  return (await store.foldUnsettledDeltas.one(db.knex, { limit })).folded;
}
