import { setTimeout as sleep } from 'node:timers/promises';
import { AlreadyFinished, type RunningJob } from '../../shared/messaging/jobs/job.ts';
import type { JobLifecycle, StartedJob } from '../../shared/messaging/jobs/job-lifecycle.ts';
import { SECOND } from '../../shared/platform/clock.ts';
import { backoffMs } from '../../shared/platform/concurrency/backoff.ts';
import { withDeadline } from '../../shared/platform/concurrency/deadline.ts';
import { transientDatabaseError } from '../../shared/platform/database/database-errors.ts';
import { withSpan } from '../../shared/platform/observability/tracing.ts';
import type { WorkerServices } from '../compose-workers.ts';
import { giveUp, type JobContext, type JobHandler, type Outcome, retry } from './job-handler.ts';
import type { Leases } from './leases.ts';

/** How long Postgres is retried before a job is left to its lease. */
const POSTGRES_PATIENCE_MS = 30_000;
const POSTGRES_RETRY = { firstMs: 200, maxMs: 2_000 };
const MAX_REASON_LENGTH = 500;

/** The outcome of a run; `reason` is set if it failed. */
export interface JobRun {
  outcome: JobResult;
  reason?: string;
  /** The result of a finished job, for operators. */
  result?: object;
}

/** What a worker process runs jobs with. */
export interface JobScope {
  runtime: WorkerServices;
  lifecycle: JobLifecycle;
  leases: Leases;
  /** Fires when the process stops accepting work. */
  stopping: AbortSignal;
  /** Fires when running work must end. */
  shutdown: AbortSignal;
}

/**
 * Runs one dispatched job: starts the attempt, checks the payload, does the work under its deadline while the lease is
 * kept alive, and writes the outcome into the job's row.
 * @throws what Postgres threw, when it stayed unavailable: the lease will bring the job back
 */
export async function runJob(
  scope: JobScope,
  handler: JobHandler,
  ticket: RunningJob,
  tell: JobContext['tell'] = () => {},
): Promise<JobRun> {
  const { job } = handler;
  const start = await retryWhilePostgresIsAway(scope.shutdown, () => scope.lifecycle.start(ticket));
  if (!start) return { outcome: 'stale' };
  return withSpan(
    {
      name: `${job.queue} ${job.name}`,
      kind: 'consumer',
      parent: start.traceParent,
      facts: { 'job.queue': job.queue, 'job.name': job.name, 'job.attempt': start.attempts },
    },
    () => runStarted(scope, handler, { ticket, tell }, start),
    ({ outcome }) => ({ facts: { 'job.outcome': outcome }, failed: outcome === 'dead' }),
  );
}

async function runStarted(
  { runtime, lifecycle, leases, stopping, shutdown }: JobScope,
  handler: JobHandler,
  { ticket, tell }: { ticket: RunningJob; tell: JobContext['tell'] },
  { attempts: attempt, payload, runAt: dueAt }: StartedJob,
): Promise<JobRun> {
  const { job } = handler;
  const waitedMs = Math.max(0, Number(runtime.clock.now()) - Number(dueAt));
  runtime.metrics.jobWaitSeconds.observe({ queue: job.queue, name: job.name }, waitedMs / 1_000);
  const context: Omit<JobContext, 'signal'> = {
    runtime,
    job: ticket,
    attempt,
    dueAt,
    stopping,
    tell,
    lastAttempt: attempt > job.retryMs.length,
  };
  const endLease = leases.keep(ticket);
  let outcome: RunOutcome;
  try {
    outcome = await attemptWork(handler, payload, context, shutdown);
    if (shutdown.aborted && outcome.kind === 'retry') outcome = { kind: 'given_back', afterMs: 0 };
  } catch (error) {
    if (error instanceof AlreadyFinished) return { outcome: 'stale' };
    if (shutdown.aborted) outcome = { kind: 'given_back', afterMs: 0 };
    else {
      runtime.log.warn({ err: error, job: job.name, outbox_id: ticket.outboxId }, 'job threw');
      outcome = outcomeOf(error);
    }
  } finally {
    endLease();
  }
  const settled = await retryWhilePostgresIsAway(shutdown, () =>
    recordJobOutcome({ lifecycle }, { ticket, attempt, retryMs: job.retryMs }, outcome),
  );
  if ('reason' in outcome) return { outcome: settled, reason: outcome.reason };
  return outcome.kind === 'done' && outcome.result
    ? { outcome: settled, result: outcome.result }
    : { outcome: settled };
}

async function attemptWork(
  handler: JobHandler,
  payload: unknown,
  context: Omit<JobContext, 'signal'>,
  shutdown: AbortSignal,
): Promise<Outcome> {
  const fault = handler.check(payload);
  if (fault !== undefined) return giveUp(`the payload is malformed: ${fault}`);
  return withDeadline({ deadlineMs: handler.job.deadlineMs, shutdown }, (signal) =>
    handler.run({ ...context, signal }, payload as never),
  );
}

/** Returns an error's outcome. While Postgres is full, read-only or down, the job waits without losing an attempt. */
function outcomeOf(error: unknown): RunOutcome {
  const fault = transientDatabaseError(error);
  if (!fault?.jobsWaitItOut) return retry(reasonOf(error));
  return { kind: 'given_back', afterMs: fault.retryAfterSeconds * SECOND };
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_LENGTH);
}

/**
 * Retries a write while Postgres is unavailable, since a worker can only wait then: a job it dropped would have to wait
 * for its lease, and the next job would fare no better.
 */
async function retryWhilePostgresIsAway<T>(
  shutdown: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + POSTGRES_PATIENCE_MS;
  for (let failures = 1; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      if (shutdown.aborted || performance.now() > end) throw error;
      await sleep(backoffMs(failures, POSTGRES_RETRY));
    }
  }
}

/** The outcome of a job in its log line and metric. */
type JobResult = 'done' | 'retry' | 'dead' | 'snoozed' | 'stale' | 'given_back';

/** The outcome of an attempt. An attempt that is given back, for other jobs or for later, does not count. */
type RunOutcome = Outcome | { kind: 'given_back'; afterMs: number };

/** Writes an outcome into the job's row; every write is conditional, so a stale one changes nothing. */
async function recordJobOutcome(
  { lifecycle }: { lifecycle: JobLifecycle },
  started: { ticket: RunningJob; attempt: number; retryMs: readonly number[] },
  outcome: RunOutcome,
): Promise<JobResult> {
  const { ticket, attempt, retryMs } = started;
  switch (outcome.kind) {
    case 'done':
      if (!ticket.isDone) await lifecycle.finish(ticket);
      return 'done';
    case 'given_back':
      await lifecycle.giveBack(ticket, outcome.afterMs);
      return 'given_back';
    case 'snooze':
      await lifecycle.snooze(ticket, outcome.until);
      return 'snoozed';
    case 'give_up':
      await lifecycle.giveUp(ticket, outcome.reason);
      return 'dead';
    case 'retry': {
      const wait = retryMs[attempt - 1];
      if (wait === undefined) {
        await lifecycle.giveUp(ticket, outcome.reason);
        return 'dead';
      }
      await lifecycle.retry(ticket, outcome.afterMs ?? wait, outcome.reason);
      return 'retry';
    }
  }
}
