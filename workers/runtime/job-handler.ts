import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Job, RunningJob } from '../../shared/messaging/jobs/job.ts';
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/messaging/jobs/job-queues.ts';
import { DeadlineExceeded } from '../../shared/platform/concurrency/deadline.ts';
import type { WorkerServices } from '../compose-workers.ts';

/** What every job and task gets. The signal aborts it when its time is up or the process stops. */
export interface WorkContext {
  runtime: WorkerServices;
  signal: AbortSignal;
}

/** What a handler gets beside its payload. */
export interface JobContext extends WorkContext {
  /** For `uow.jobs.finish`, in the transaction that holds the work's result: so both happen or neither. */
  job: RunningJob;
  /** From 1. */
  attempt: number;
  /** When it is due; operators may start it earlier. */
  dueAt: Date;
  /** Fires when the process takes no more work: what is under way may end. */
  stopping: AbortSignal;
  /** Shows ops how a job that takes long is doing. */
  tell(progress: object): void;
  /** Whether a `retry` now would be the end. */
  lastAttempt: boolean;
}

export type HandleJob<P> = (context: JobContext, payload: P) => Promise<Outcome>;

/** A job with what does its work, which may run twice, or on two workers at once. */
export interface JobHandler<N extends string = string> {
  job: Job<never, N>;
  /** Whether a payload is one of the job, and if not, what is wrong with it. */
  check(payload: unknown): string | undefined;
  run: HandleJob<never>;
}

const ajv = new Ajv2020({ allErrors: true, strict: true });

/** Says what does the work of a job. @throws Error when the schema of its payload is none */
export function handle<P, N extends string>(job: Job<P, N>, run: HandleJob<P>): JobHandler<N> {
  const validate = ajv.compile(job.payload);
  return {
    job,
    check: (payload) => (validate(payload) ? undefined : ajv.errorsText(validate.errors)),
    run: run as HandleJob<never>,
  };
}

/** Work that a scheduler starts every `everyMs`. It asks Postgres what is due, so a missed or doubled run changes nothing. */
export interface ScheduledTask {
  queue: QueueName;
  name: string;
  everyMs: number;
  deadlineMs: number;
  /** Its return value is kept as the job's result, for operators to read. */
  run(context: WorkContext): Promise<unknown>;
}

type RegistryEntry = JobHandler | ScheduledTask;
export type Registry = readonly RegistryEntry[];

/** Whether nothing will try again after this attempt. A worker that must go gives its job back, whichever attempt it is. */
export function isFinalAttempt({
  lastAttempt,
  signal,
}: {
  lastAttempt: boolean;
  signal: AbortSignal;
}): boolean {
  return lastAttempt && (!signal.aborted || signal.reason instanceof DeadlineExceeded);
}

/**
 * The outcome of a run. `retry` waits as the job's retry list says and gives up after the last entry; `snooze` only
 * waits: the run went well, so the next one has all attempts of the list again.
 */
export type Outcome =
  | { kind: 'done'; result?: object }
  | { kind: 'retry'; reason: string; afterMs?: number }
  | { kind: 'give_up'; reason: string }
  | { kind: 'snooze'; until: Date };

/** The work is done, or there was nothing left to do. The result, if any, is kept for operators to read. */
export function done(result?: object): Outcome {
  return result === undefined ? { kind: 'done' } : { kind: 'done', result };
}

/** Try again: after `afterMs` milliseconds, or after the next wait of the job's retry list. */
export function retry(reason: string, afterMs?: number): Outcome {
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
}

/** Trying again can't help: the job is dead until somebody retries it by hand. */
export function giveUp(reason: string): Outcome {
  return { kind: 'give_up', reason };
}

/** Not yet: ask again at `until`. */
export function snooze(until: Date): Outcome {
  return { kind: 'snooze', until };
}

/** The registry by queue and name. */
export interface HandlerIndex {
  job(queue: QueueName, name: string): JobHandler | undefined;
  task(queue: QueueName, name: string): ScheduledTask | undefined;
  tasks: readonly ScheduledTask[];
}

/** @throws Error when two entries claim the same work */
export function indexRegistry(registry: Registry): HandlerIndex {
  const jobs = new Map<string, JobHandler>();
  const tasks = new Map<string, ScheduledTask>();
  const claimed = new Set<string>();
  const claim = <T>(entries: Map<string, T>, key: string, entry: T) => {
    if (claimed.has(key)) throw new Error(`two entries of the job registry claim ${key}`);
    claimed.add(key);
    entries.set(key, entry);
  };
  for (const entry of registry) {
    if ('job' in entry) claim(jobs, `${entry.job.queue}/${entry.job.name}`, entry);
    else claim(tasks, `${entry.queue}/${entry.name}`, entry);
  }
  return {
    job: (queue, name) => jobs.get(`${queue}/${name}`),
    task: (queue, name) => tasks.get(`${queue}/${name}`),
    tasks: [...tasks.values()],
  };
}

/** The same for a registry that has to be complete. @throws Error when a job that can be asked for has no handler */
export function indexEveryJob(registry: Registry): HandlerIndex {
  const index = indexRegistry(registry);
  for (const queue of QUEUE_NAMES) {
    for (const name of QUEUES[queue].jobs) {
      if (!index.job(queue, name)) throw new Error(`no handler does the job ${queue}/${name}`);
    }
  }
  return index;
}
