import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, WaitingError } from 'bullmq';
import { Type } from 'typebox';
import {
  AlreadyFinished,
  type CarriedJobs,
  type JobReference,
  RELAY,
  type RunningJob,
  ticketOf,
} from '../../shared/messaging/jobs/job.ts';
import type { JobLifecycle, StartedJob } from '../../shared/messaging/jobs/job-lifecycle.ts';
import type { QueueName } from '../../shared/messaging/jobs/job-queues.ts';
import { SECOND } from '../../shared/platform/clock.ts';
import { backoffMs } from '../../shared/platform/concurrency/backoff.ts';
import { withDeadline } from '../../shared/platform/concurrency/deadline.ts';
import { transientDatabaseError } from '../../shared/platform/database/database-errors.ts';
import { withSpan } from '../../shared/platform/observability/tracing.ts';
import type { WorkerServices } from '../compose-workers.ts';
import {
  giveUp,
  type HandlerIndex,
  handle,
  type JobContext,
  type JobHandler,
  type Outcome,
  retry,
  type ScheduledTask,
} from './job-handler.ts';
import type { Leases } from './leases.ts';

/** The maximum time that jobs of a batch wait for those before them. */
const BATCH_MS = 1_000;

/** How long Postgres is retried before a job is left to its lease. */
const POSTGRES_PATIENCE_MS = 30_000;
const POSTGRES_RETRY = { firstMs: 200, maxMs: 2_000 };
const MAX_REASON_LENGTH = 500;

/** What a worker process runs jobs with. */
interface JobScope {
  runtime: WorkerServices;
  lifecycle: JobLifecycle;
  leases: Leases;
  /** Fires when the process stops accepting work. */
  stopping: AbortSignal;
  /** Fires when running work must end. */
  shutdown: AbortSignal;
}

/** What a worker process runs jobs and scheduled tasks with. */
export interface ConsumeScope extends JobScope {
  /** Finds the handlers of `job-registry.ts`. */
  lookup: HandlerIndex;
}

/**
 * Runs one BullMQ job of any kind, with a log line and a metric. Its result or error is only shown to operators:
 * nothing depends on BullMQ's state of a job.
 */
export async function consumeJob(
  scope: ConsumeScope,
  queue: QueueName,
  delivered: Pick<Job, 'name' | 'data' | 'opts' | 'moveToCompleted' | 'remove' | 'updateProgress'>,
): Promise<unknown> {
  const { runtime, lookup } = scope;
  const { name, data } = delivered;
  const report = reporterOf(runtime, queue, name);
  const task = lookup.task(queue, name);
  if (task) return runWithoutOutboxRow(scope, report, task);
  if (!isTicket(data)) {
    report('unknown', 'warn', {});
    // A removed task. If a newer version still has it, that version's reconciler schedules it again within seconds.
    await runtime.queues.get(queue).removeJobScheduler(name);
    throw new JobFailed(`no worker of this version knows ${queue}/${name}`);
  }
  const handler = lookup.job(queue, name) ?? unknownJob(queue, name);
  // Failing to show progress does not fail the job.
  const tell = (progress: object) => void delivered.updateProgress(progress).catch(() => {});
  const runs = await runBatch(scope, data, async (ticket) => {
    const report = reporterOf(runtime, queue, name);
    const run = await runJob(scope, handler, ticket, tell).catch((error: unknown) => {
      report('failed', 'error', { outbox_id: ticket.outboxId, err: error });
      throw error;
    });
    const level = run.outcome === 'dead' ? 'error' : run.outcome === 'retry' ? 'warn' : 'info';
    report(run.outcome, level, { outbox_id: ticket.outboxId, reason: run.reason });
    return run;
  });
  if (runs.every(({ outcome }) => outcome === 'stale') && (await endForAll(delivered))) {
    // Tells BullMQ that the worker has already moved the job.
    throw new WaitingError();
  }
  // Completed rows need no trace here; failures and results are kept for operators.
  const [first] = runs;
  if (first?.result && runs.length === 1) return first.result;
  const others = runs.filter(({ outcome }) => outcome !== 'done');
  if (others.length === 0) delivered.opts.removeOnComplete = true;
  const reasons = others.flatMap(({ reason }) => reason ?? []);
  if (reasons.length > 0) throw new JobFailed(reasons.join('; '));
  return others.map(({ outcome }) => outcome).join(', ') || 'done';
}

/** The token for which BullMQ skips the lock check. */
const ANY_LOCK = '0';

/**
 * Ends a job that has nothing left to do, whoever holds its lock. On a machine so slow that every run outlasts the
 * lock, a job that only the lock holder may end would return again and again, ahead of all waiting jobs. Returns false
 * if Redis refuses.
 */
function endForAll(delivered: Pick<Job, 'moveToCompleted' | 'remove'>): Promise<boolean> {
  return (
    delivered
      .moveToCompleted('stale', ANY_LOCK, false)
      // The job was already put back, for the next worker.
      .catch(() => delivered.remove())
      .then(
        () => true,
        () => false,
      )
  );
}

/** Runs a scheduled task, which has no row in the outbox. */
async function runWithoutOutboxRow(
  { runtime, stopping, shutdown: drained }: JobScope,
  report: Report,
  task: ScheduledTask,
): Promise<unknown> {
  const { deadlineMs } = task;
  const shutdown = task.cutOffAtStop ? stopping : drained;
  try {
    const result = await withDeadline({ deadlineMs, shutdown }, (signal) =>
      task.run({ runtime, signal }),
    );
    report('done', 'debug', { result });
    return result ?? null;
  } catch (error) {
    if (shutdown.aborted) report('given_back', 'info', {});
    else report('failed', 'error', { err: error });
    throw error;
  }
}

/**
 * Runs the jobs of a batch one after another, in place of single jobs. Jobs that have not started after
 * {@link BATCH_MS} are put back, and then sent one by one: no job waits longer for one before it.
 */
async function runBatch(
  { runtime, lifecycle }: ConsumeScope,
  { outboxId, epoch, followers = [] }: CarriedJobs,
  run: (ticket: JobReference) => Promise<JobRun>,
): Promise<JobRun[]> {
  // A job with earlier attempts is never part of a batch.
  const waiting = followers.map((id) => ({ id, epoch, attempts: 0 }));
  const putBack = async () => {
    try {
      await lifecycle.release(waiting.splice(0));
      runtime.db.wakeWorkers([RELAY]);
    } catch (error) {
      // Their leases will bring them back.
      runtime.log.debug({ err: error }, 'batch');
    }
  };
  const patience = waiting.length > 0 ? setTimeout(putBack, BATCH_MS) : undefined;
  try {
    const runs = [await run({ outboxId, epoch })];
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      runs.push(await run(ticketOf(next)));
    }
    return runs;
  } finally {
    clearTimeout(patience);
  }
}

/** The outcome of a run; `reason` is set if it failed. */
interface JobRun {
  outcome: JobResult;
  reason?: string;
  /** The result of a finished job, for operators. */
  result?: object;
}

/** The outcome of a job in its log line and metric. */
type JobResult = 'done' | 'retry' | 'dead' | 'snoozed' | 'stale' | 'given_back';

/** The outcome of an attempt. An attempt that is given back, for other jobs or for later, does not count. */
type RunOutcome = Outcome | { kind: 'given_back'; afterMs: number };

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
    recordJobOutcome(lifecycle, { ticket, attempt, retryMs: job.retryMs }, outcome),
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

/** Writes an outcome into the job's row; every write is conditional, so a stale one changes nothing. */
async function recordJobOutcome(
  lifecycle: JobLifecycle,
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

/** Shown to operators as the reason of a failed BullMQ job. */
class JobFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JobFailed';
    // Where this is thrown says nothing about the job.
    this.stack = `${this.name}: ${message}`;
  }
}

type Report = (outcome: string, level: 'debug' | 'info' | 'warn' | 'error', detail: object) => void;

function reporterOf({ metrics, log }: WorkerServices, queue: QueueName, name: string): Report {
  const begin = performance.now();
  return (outcome, level, detail) => {
    const ms = performance.now() - begin;
    metrics.jobsTotal.inc({ queue, name, outcome });
    metrics.jobSeconds.observe({ queue, name }, ms / 1_000);
    log[level]({ queue, job: name, outcome, ms: Math.round(ms), ...detail }, 'job');
  };
}

function isTicket(data: unknown): data is CarriedJobs {
  return typeof data === 'object' && data !== null && 'outboxId' in data && 'epoch' in data;
}

/** Returns a handler that retries: during a rollout, a job may reach a worker that does not know it yet. */
function unknownJob(queue: QueueName, name: string): JobHandler {
  const seconds = [5, 15, 60, 300, 900, 3_600];
  const job = {
    queue,
    name,
    payload: Type.Any(),
    deadlineMs: 1_000,
    retryMs: seconds.map((each) => each * 1_000),
  };
  return handle(job, async () => retry(`no worker of this version knows ${queue}/${name}`));
}
