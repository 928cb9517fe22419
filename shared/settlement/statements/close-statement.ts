import { recordEvents } from '../../delivery/events/record-events.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import { addMs, DAY } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { fail, invalid } from '../../platform/errors.ts';
import type { Runtime } from '../../runtime.ts';
import { settleDeliveredOrders } from '../../sales/orders/settle-orders.ts';
import { markCommissionsPending } from '../../sales/referral/commission-lifecycle.ts';
import {
  createCommissionPayouts,
  createStatementPayouts,
  retryFailedPayouts,
} from '../payouts/create-payouts.ts';
import * as store from './statement.store.ts';
import { foldUnsettledDeltas } from './statement.store.ts';
import { type StatementOwner, saleLine, settlementDelayMs, statementId } from './statement.ts';
import { nextStatementPeriod } from './statement-period.ts';

type Deps = Pick<Runtime, 'db' | 'clock' | 'config'>;

export interface CloseOptions {
  /** Called after every transaction; what it throws stops the close, and a later one goes on from there. */
  betweenBatches?: () => void | Promise<void>;
  /** Called in the transaction that closes a statement. */
  onClosed?: (tx: Tx, settlementId: string) => Promise<void>;
}

/**
 * Settles all that is due at `until` for one partner and environment: a statement for every currency and
 * calendar period with something in it. Each transaction takes a bounded batch, so that it can be stopped
 * anywhere: whoever calls next finishes the same statement. With nothing due it changes nothing, and any
 * number of calls at once settle every order exactly once. Payouts are made on the way. Returns the ids of
 * the statements that it closed.
 * @throws validation_error when `until` is in the future; not_found for an unknown partner
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
 * The same for an instant that was checked before: the clock of the process that does the work may be
 * behind that of the one that asked for it.
 */
export async function closePartnerPeriodsUpTo(
  scope: Deps,
  request: StatementOwner & { until: Date },
  options: CloseOptions,
): Promise<string[]> {
  const { db } = scope;
  const closed: string[] = [];
  for (;;) {
    const statement = await db.transact((tx) => openOrResumeStatement(tx, scope, request));
    if (!statement) break;
    await settleInBatches(scope, statement, options);
    await options.betweenBatches?.();
    const sealed = await db.transact((tx) => finalizeStatement(tx, scope, statement, options));
    if (sealed === 'empty') break;
    if (sealed === 'closed') closed.push(statement.id);
  }
  await db.transact(async (tx) => {
    await store.lockPartnerSettlements(tx, request);
    await retryFailedPayouts(tx, request, request.until, scope.clock.now());
    await createCommissionPayouts(tx, request, scope.clock.now(), scope.clock.now());
  });
  return closed;
}

/** The statement to work on: one that was left half closed, else the next one for which work is due. */
async function openOrResumeStatement(
  tx: Tx,
  { clock, config }: Deps,
  { until, ...owner }: StatementOwner & { until: Date },
): Promise<store.ClosingStatement | undefined> {
  await store.lockPartnerSettlements(tx, owner);
  const kind = await store.findSettlementPeriod(tx, owner.partnerId);
  if (!kind) throw fail('not_found', { message: 'No partner has this id.' });
  const interrupted = await store.findClosing(tx, owner);
  if (interrupted) return interrupted;

  const delayMs = settlementDelayMs(config, owner.environment);
  for (const due of await store.findDueWork(tx, owner, { cut: until, delayMs })) {
    const period = nextStatementPeriod({ kind, cut: until, ...due });
    if (!period) continue;
    const statement = {
      ...owner,
      id: statementId(owner, due.currency, period.start),
      currency: due.currency,
      periodEnd: period.end,
    };
    await store.insertClosing(tx, { ...statement, period, now: clock.now() });
    return statement;
  }
  return undefined;
}

/**
 * Settles all that the statement takes. A batch is as large as lets the partner's sales wait a moment only, for
 * it keeps the partner's history locked while it records its events.
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
    let lockedAt = 0;
    const more = await scope.db.transact((tx) =>
      settleBatch(tx, scope, statement, limit, () => {
        lockedAt = performance.now();
      }),
    );
    if (!more) return;
    limit = nextBatchSize(limit, performance.now() - lockedAt, most);
  }
}

/**
 * Settles up to `limit` orders, then clawbacks; false when there is nothing left to take. `beforeEvents` is
 * called right before the partner's history is locked, which it is until the commit.
 */
async function settleBatch(
  tx: Tx,
  { clock, config }: Deps,
  statement: store.ClosingStatement,
  limit: number,
  beforeEvents: () => void,
): Promise<boolean> {
  await store.lockPartnerSettlements(tx, statement);
  if (!(await store.isClosing(tx, statement.id))) return false;
  const now = clock.now();
  const { orders, events } = await settleDeliveredOrders(tx, statement, {
    currency: statement.currency,
    deliveredBy: addMs(statement.periodEnd, -settlementDelayMs(config, statement.environment)),
    settlementId: statement.id,
    limit,
    now,
  });
  if (orders.length > 0) await store.insertSaleLines(tx, statement.id, orders.map(saleLine));
  const full = orders.length === limit;
  const more = full || (await store.insertClawbackLines(tx, statement, limit)) === limit;
  await markCommissionsPending(tx, orders, now);
  beforeEvents();
  await recordEvents(tx, statement, events, now);
  return more;
}

/**
 * Sums the lines, moves the amount from what was collected to what is owed, pays out the commissions on
 * what we collected, and closes the statement.
 */
async function finalizeStatement(
  tx: Tx,
  { clock, config }: Deps,
  statement: store.ClosingStatement,
  options: CloseOptions,
): Promise<'closed' | 'empty' | 'closed_elsewhere'> {
  await store.lockPartnerSettlements(tx, statement);
  const now = clock.now();
  const dueAt = addMs(now, config.settlementDueDays * DAY);
  const totals = await store.closeStatement(tx, statement.id, { now, dueAt });
  if (!totals) return 'closed_elsewhere';
  if (totals.lines === 0) {
    // Only when the delay was made longer while the statement was half closed.
    await store.deleteEmpty(tx, statement.id);
    return 'empty';
  }
  const { amountOwed } = totals;
  if (amountOwed.amount !== 0) {
    await postEntry(
      tx,
      {
        kind: 'settlement',
        reference: statement.id,
        partnerId: statement.partnerId,
        environment: statement.environment,
        orderId: null,
        postings: [
          { account: 'partner_receivable', amount: amountOwed },
          { account: 'partner_clearing', amount: amountOwed.negated() },
        ],
      },
      now,
    );
  }
  await createStatementPayouts(tx, statement, await store.sumCommissions(tx, statement.id), now);
  await options.onClosed?.(tx, statement.id);
  return 'closed';
}

/**
 * How long a batch should keep the partner's history locked: its sales wait for that long. Well below the 200 ms
 * that no batch should take, since none is quite like the one before.
 */
const TARGET_LOCK_MS = 75;

/** Small enough for any machine; the next ones grow. */
export const INITIAL_BATCH_SIZE = 100;

/**
 * How many orders the next batch takes, from how long the last one kept the history locked.
 * @param most the configured bound
 */
export function nextBatchSize(size: number, heldMs: number, most: number): number {
  const fitting = Math.floor((size * TARGET_LOCK_MS) / Math.max(heldMs, 1));
  return Math.max(1, Math.min(fitting, 2 * size, most));
}

/** Folds up to `limit` changes into the tallies of running statements; returns how many. Sums are the same before and after. */
export function foldUnsettledTallies({ db }: { db: Database }, limit: number): Promise<number> {
  return foldUnsettledDeltas(db.knex, limit);
}
