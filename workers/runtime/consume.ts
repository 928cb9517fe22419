import { type Job, WaitingError } from 'bullmq';
import { Type } from 'typebox';
import {
  type CarriedJobs,
  type JobReference,
  RELAY,
  ticketOf,
} from '../../shared/messaging/jobs/job.ts';
import type { QueueName } from '../../shared/messaging/jobs/job-queues.ts';
import { withDeadline } from '../../shared/platform/concurrency/deadline.ts';
import type { WorkerServices } from '../compose-workers.ts';
import {
  type HandlerIndex,
  handle,
  type JobHandler,
  retry,
  type WorkContext,
} from './job-handler.ts';
import { type JobRun, type JobScope, runJob } from './run-job.ts';

/** The maximum time that jobs of a batch wait for those before them. */
const BATCH_MS = 1_000;

export interface ConsumeScope extends JobScope {
  lookup: HandlerIndex;
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
  if (task)
    return runWithoutOutboxRow(scope, report, task.deadlineMs, (context) => task.run(context));
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

/** Runs a scheduled task, which has no row in the outbox. */
async function runWithoutOutboxRow(
  { runtime, shutdown }: ConsumeScope,
  report: Report,
  deadlineMs: number,
  work: (context: WorkContext) => Promise<unknown>,
): Promise<unknown> {
  try {
    const result = await withDeadline({ deadlineMs, shutdown }, (signal) =>
      work({ runtime, signal }),
    );
    report('done', 'debug', { result });
    return result ?? null;
  } catch (error) {
    if (shutdown.aborted) report('given_back', 'info', {});
    else report('failed', 'error', { err: error });
    throw error;
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
