import type { Job } from 'bullmq';
import { Type } from 'typebox';
import type { JobReference } from '../../shared/delivery/jobs/job.ts';
import type { JobLifecycle } from '../../shared/delivery/jobs/job-lifecycle.ts';
import type { QueueName } from '../../shared/delivery/jobs/job-queues.ts';
import { withDeadline } from '../../shared/platform/concurrency/deadline.ts';
import type { WorkerServices } from '../compose-workers.ts';
import {
  type HandlerIndex,
  handle,
  type JobHandler,
  retry,
  type WorkContext,
} from './job-handler.ts';
import type { Leases } from './leases.ts';
import { runJob } from './run-job.ts';

export interface ConsumeScope {
  runtime: WorkerServices;
  lifecycle: JobLifecycle;
  leases: Leases;
  lookup: HandlerIndex;
  shutdown: AbortSignal;
}

/** For ops, who see it as the reason why BullMQ counts the job as failed. */
class JobFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JobFailed';
    // The place where this is thrown says nothing about the job.
    this.stack = `${this.name}: ${message}`;
  }
}

/**
 * Does one BullMQ job, whatever kind it is, and leaves a log line and a measurement. What is returned
 * or thrown is for ops only: nothing is decided by BullMQ's state of a job.
 */
export async function consumeJob(
  scope: ConsumeScope,
  queue: QueueName,
  delivered: Pick<Job, 'name' | 'data' | 'opts'>,
): Promise<unknown> {
  const { runtime, lookup } = scope;
  const { name, data } = delivered;
  const report = reporterOf(runtime, queue, name);
  const task = lookup.task(queue, name);
  if (task)
    return runWithoutOutboxRow(scope, report, task.deadlineMs, (context) => task.run(context));
  if (!isTicket(data)) {
    report('unknown', 'warn', {});
    throw new JobFailed(`no worker of this version knows ${queue}/${name}`);
  }
  const handler = lookup.job(queue, name) ?? unknownJob(queue, name);
  const run = await runJob(scope, handler, data).catch((error: unknown) => {
    report('failed', 'error', { outbox_id: data.outboxId, err: error });
    throw error;
  });
  // Its row says that it is done; anything else is kept for ops to see.
  if (run.outcome === 'done') delivered.opts.removeOnComplete = true;
  const level = run.outcome === 'dead' ? 'error' : run.outcome === 'retry' ? 'warn' : 'info';
  report(run.outcome, level, { outbox_id: data.outboxId, reason: run.reason });
  if (run.reason !== undefined) throw new JobFailed(run.reason);
  return run.outcome;
}

/** Scheduled tasks: nothing of theirs stands in the outbox. */
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

function isTicket(data: unknown): data is JobReference {
  return typeof data === 'object' && data !== null && 'outboxId' in data && 'epoch' in data;
}

/** While versions change, a job may reach a worker that does not know it yet; another one will. */
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
