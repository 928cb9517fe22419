import type { JobReference } from '../../messaging/jobs/job.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { inTimeOf } from '../../messaging/unit-of-work/partner-time.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { SETTLEMENT_PERIODS } from '../../people/partners/partner.ts';
import { addMs, type Clock, daysAgo, HOUR } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { closePartnerPeriodsUpTo } from './close-statement.ts';
import { closePartnerJob, startRunJob } from './settlement-run.jobs.ts';
import * as store from './settlement-run.store.ts';
import { selectSettlementPeriod } from './statement.store.ts';
import { type SettlementRun, type StatementOwner, settlementDelayMs } from './statement.ts';
import {
  ENDED_PERIODS,
  lastPeriodEnd,
  parseMonth,
  periodContaining,
  runCutoff,
} from './statement-period.ts';

export interface RunRequest {
  environment: Environment;
  /** A month, `2026-11`; exactly one of this and `until`. */
  period?: string | undefined;
  until?: Date | undefined;
  /** Limits the run to this partner. */
  partnerId?: string | undefined;
}

/**
 * Requests that periods be closed; the workers close them. A past month is closed at the ends of
 * the partners' own periods in it, the current month up to now, and `until` up to that instant.
 * @throws validation_error for an invalid or future period or instant, or both or neither of them;
 *   not_found for an unknown partner
 */
export async function requestSettlementRun(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  request: RunRequest,
): Promise<SettlementRun> {
  const now = clock.now();
  const run: SettlementRun = {
    id: newId('settlementRun', now),
    environment: request.environment,
    period: request.period ?? null,
    until: requestedCutoff(request, now),
    partnerId: request.partnerId ?? null,
    requestedBy: actor,
    status: 'queued',
    createdAt: now,
    finishedAt: null,
  };
  await db.transact(async (uow) => {
    if (
      run.partnerId !== null &&
      !(await store.selectPartner.first(uow.sql, { id: run.partnerId }))
    ) {
      throw fail('not_found', { message: 'No partner has this ID.' });
    }
    await store.insertRun.run(uow.sql, run);
    uow.jobs.add(startRunJob, { runId: run.id });
    const after = {
      environment: run.environment,
      period: run.period,
      until: run.until.toISOString(),
      partner: run.partnerId,
    };
    await recordAudit(uow, { actor, action: 'settlement:run', subject: run.id, after });
  });
  return run;
}

/** Returns the instant that a request means, fixed now, so that a late worker closes what was requested. */
function requestedCutoff({ period, until }: RunRequest, now: Date): Date {
  if ((period === undefined) === (until === undefined)) {
    throw invalid([{ path: '/period', message: 'or /until is required, and not both' }]);
  }
  if (until !== undefined) {
    if (Number.isNaN(until.getTime())) {
      throw invalid([{ path: '/until', message: 'must be a date-time' }]);
    }
    if (until > now) throw invalid([{ path: '/until', message: 'must not be in the future' }]);
    return until;
  }
  const month = parseMonth(period ?? '');
  if (!month) throw invalid([{ path: '/period', message: 'must be a month such as 2026-11' }]);
  if (month.start > now) {
    throw invalid([{ path: '/period', message: 'must not be in the future' }]);
  }
  return month.end < now ? month.end : now;
}

const ENVIRONMENTS = ['LIVE', 'SANDBOX'] as const;
/**
 * The age after which an unfinished run is considered dead and another one is started. A run from further ahead than
 * this, left behind by a process with a wrong clock, is also ignored.
 */
const STALE_RUN_MS = HOUR;

/**
 * Starts a run in each environment in which an ended period has something to settle. Asks Postgres what
 * is due, so a missed or doubled task run changes nothing. Returns the IDs of the runs it started.
 */
export async function closeDuePeriods({
  db,
  clock,
  config,
}: {
  db: Database;
  clock: Clock;
  config: Config;
}): Promise<string[]> {
  const started: string[] = [];
  for (const environment of ENVIRONMENTS) {
    const now = clock.now();
    const wanted = { environment, partnerId: null, period: ENDED_PERIODS, until: now };
    const run = await db.transact(async (uow) => {
      await store.selectScheduleLock.run(uow.sql, { environment });
      const recent = { since: addMs(now, -STALE_RUN_MS), until: addMs(now, STALE_RUN_MS) };
      const unfinished = { environment, period: ENDED_PERIODS, ...recent };
      if (await store.selectUnfinishedRun.first(uow.sql, unfinished)) return null;
      if ((await partnersWithWork(uow.sql, config, wanted)).length === 0) return null;
      const id = newId('settlementRun', now);
      await store.insertRun.run(uow.sql, {
        ...wanted,
        id,
        requestedBy: 'schedule',
        status: 'queued',
        createdAt: now,
      });
      uow.jobs.add(startRunJob, { runId: id });
      return id;
    });
    if (run) started.push(run);
  }
  return started;
}

/**
 * Closes the periods of one partner and environment that have ended by its clock, if something is due; returns the
 * IDs of the statements.
 */
export async function closeEndedPeriods(
  deps: { db: Database; clock: Clock; config: Config },
  owner: StatementOwner,
): Promise<string[]> {
  const { db, clock, config } = await inTimeOf(deps, owner);
  const until = clock.now();
  const wanted = { ...owner, period: ENDED_PERIODS, until };
  if ((await partnersWithWork(db.knex, config, wanted)).length === 0) return [];
  const { kind } = await selectSettlementPeriod.one(db.knex, owner);
  return closePartnerPeriodsUpTo(deps, { ...owner, until: lastPeriodEnd(kind, until) }, {});
}

/** Returns when a partner's running period ends, by its clock; null if there will be nothing to settle. */
export async function nextPeriodClose(
  { db, config }: { db: Database; config: Config },
  owner: StatementOwner,
  now: Date,
): Promise<Date | null> {
  const until = await readPeriodEnd(db.knex, owner.partnerId, now);
  const work = await partnersWithWork(db.knex, config, { ...owner, period: ENDED_PERIODS, until });
  return work.length > 0 ? until : null;
}

/** Returns when a partner's running period ends, by its clock. */
export async function readPeriodEnd(sql: Sql, partnerId: string, now: Date): Promise<Date> {
  const { kind } = await selectSettlementPeriod.one(sql, { partnerId });
  return periodContaining(kind, now).end;
}

/**
 * Starts a run: adds one job for every partner that has work, and finishes `job` in the same transaction. Does nothing
 * for a run that was already started; completes a run without work immediately.
 */
export async function startSettlementRun(
  { db, config }: { db: Database; clock: Clock; config: Config },
  runId: string,
  job: JobReference,
): Promise<void> {
  await db.transact(async (uow) => {
    const run = await store.selectRunForUpdate.first(uow.sql, { id: runId });
    if (run?.status === 'queued') {
      const { now } = uow;
      const partners = await partnersWithWork(uow.sql, config, run);
      if (partners.length === 0) {
        const status = 'completed';
        await store.updateRunStatus.run(uow.sql, { id: runId, status, finishedAt: now });
      } else {
        await store.insertRunPartners.run(uow.sql, { runId, partnerIds: partners });
        const status = 'running';
        await store.updateRunStatus.run(uow.sql, { id: runId, status, finishedAt: null });
        for (const partnerId of partners) uow.jobs.add(closePartnerJob, { runId, partnerId });
      }
    }
    uow.jobs.finish(job);
  });
}

/** Returns the partners for which a run would find something to close. */
export async function partnersWithWork(
  sql: Sql,
  config: Config,
  run: Pick<SettlementRun, 'environment' | 'partnerId' | 'period' | 'until'>,
): Promise<string[]> {
  const cuts = SETTLEMENT_PERIODS.map((kind) => [kind, runCutoff(run, kind)]);
  return store.readPartnersWithWork(sql, {
    environment: run.environment,
    partnerId: run.partnerId,
    cuts: Object.fromEntries(cuts) as store.PeriodCutoffs,
    delayMs: settlementDelayMs(config, run.environment),
    skipClosed: run.period === ENDED_PERIODS,
  });
}

/**
 * Closes a run's periods for one partner and records the statements in the run; the last partner
 * completes the run. Finishes `job`. Safe to interrupt and repeat.
 * Returns the age of the run in milliseconds at the close of each statement.
 */
export async function closePartnerInRun(
  scope: { db: Database; clock: Clock; config: Config },
  part: { runId: string; partnerId: string },
  { job, betweenBatches }: { job: JobReference; betweenBatches: () => void },
): Promise<number[]> {
  const { db } = scope;
  const closedAfterMs: number[] = [];
  const run = await store.selectRun.first(db.knex, { id: part.runId });
  const period = await selectSettlementPeriod.first(db.knex, { partnerId: part.partnerId });
  if (run && period) {
    const { partnerId } = part;
    await closePartnerPeriodsUpTo(
      scope,
      { partnerId, environment: run.environment, until: runCutoff(run, period.kind) },
      {
        betweenBatches,
        async onClosed(uow, settlementId) {
          await store.updateRunStatements.run(uow.sql, { ...part, settlementId });
          closedAfterMs.push(Math.max(0, Number(scope.clock.now()) - Number(run.createdAt)));
        },
      },
    );
  }
  await db.transact(async (uow) => {
    // Locks the run's row first: if two partners end at once, the second one sees the first.
    await store.selectRunForUpdate.first(uow.sql, { id: part.runId });
    await store.updateRunPartnerDone.run(uow.sql, part);
    if (!(await store.selectQueuedPartner.first(uow.sql, part))) {
      const done = { id: part.runId, status: 'completed', finishedAt: uow.now } as const;
      await store.updateRunStatus.run(uow.sql, done);
    }
    uow.jobs.finish(job);
  });
  return closedAfterMs;
}

/** Runs are kept for a year, so that they are at hand when the year's books are closed. */
const RUN_KEEP_DAYS = 365;

/**
 * Deletes up to `limit` settlement runs that ended {@link RUN_KEEP_DAYS} ago, and returns how many. The statements
 * that they closed stay.
 */
export function pruneSettlementRuns(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<number> {
  const before = daysAgo(clock, RUN_KEEP_DAYS);
  return db.transact((uow) => store.removeFinishedRuns(uow.sql, before, limit));
}
