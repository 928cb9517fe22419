import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Job, RunningJob } from '../../shared/messaging/jobs/job.ts';
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/messaging/jobs/job-queues.ts';
import { DeadlineExceeded } from '../../shared/platform/concurrency/deadline.ts';
import type { WorkerServices } from '../compose-workers.ts';

/** What every job and task gets. The signal aborts it at its deadline or when the process stops. */
export interface WorkContext {
  runtime: WorkerServices;
  signal: AbortSignal;
}

/** What a handler gets besides its payload. */
export interface JobContext extends WorkContext {
  /** For `uow.jobs.finish` in the transaction that writes the work's result, so that both happen or neither. */
  job: RunningJob;
  /** Starts at 1. */
  attempt: number;
  /** When the job is due; operators may start it earlier. */
  dueAt: Date;
  /** Fires when the process stops accepting work; running work may finish. */
  stopping: AbortSignal;
  /** Shows operators the progress of a long job. */
  tell(progress: object): void;
  /** Whether a `retry` now would make the job dead. */
  lastAttempt: boolean;
}

export type HandleJob<P> = (context: JobContext, payload: P) => Promise<Outcome>;

/** A job with its handler. A job may run twice, or on two workers at once. */
export interface JobHandler<N extends string = string> {
  job: Job<never, N>;
  /** Validates a payload; returns what is wrong with it, if anything. */
  check(payload: unknown): string | undefined;
  run: HandleJob<never>;
}

const ajv = new Ajv2020({ allErrors: true, strict: true });

/** Assigns a handler to a job. @throws Error when the schema of its payload is invalid */
export function handle<P, N extends string>(job: Job<P, N>, run: HandleJob<P>): JobHandler<N> {
  const validate = ajv.compile(job.payload);
  return {
    job,
    check: (payload) => (validate(payload) ? undefined : ajv.errorsText(validate.errors)),
    run: run as HandleJob<never>,
  };
}

/** Work that a scheduler starts every `everyMs`. It asks Postgres what is due, so missed or duplicate runs are safe. */
export interface ScheduledTask {
  queue: QueueName;
  name: string;
  everyMs: number;
  deadlineMs: number;
  /** Whether a stopping process cuts it off at once, for long work that the next run continues. */
  cutOffAtStop?: boolean;
  /** The return value is stored as the job's result, for operators. */
  run(context: WorkContext): Promise<unknown>;
}

type RegistryEntry = JobHandler | ScheduledTask;
export type Registry = readonly RegistryEntry[];

/** Returns whether this is the last attempt. A worker that shuts down gives its job back, whichever attempt it is. */
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
 * The outcome of a run. `retry` waits as the job's retry list says, and gives up after the last entry; `snooze` only
 * waits: the run succeeded, so the next one has all attempts of the list again.
 */
export type Outcome =
  | { kind: 'done'; result?: object }
  | { kind: 'retry'; reason: string; afterMs?: number }
  | { kind: 'give_up'; reason: string }
  | { kind: 'snooze'; until: Date };

/** Reports that the work is done, or that there was none. The result, if any, is stored for operators. */
export function done(result?: object): Outcome {
  return result === undefined ? { kind: 'done' } : { kind: 'done', result };
}

/** Asks for another attempt: after `afterMs` milliseconds, or after the next wait of the job's retry list. */
export function retry(reason: string, afterMs?: number): Outcome {
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
}

/** Gives up, because trying again can't help: the job is dead until someone retries it by hand. */
export function giveUp(reason: string): Outcome {
  return { kind: 'give_up', reason };
}

/** Asks to run again at `until`. */
export function snooze(until: Date): Outcome {
  return { kind: 'snooze', until };
}

/** The registry, indexed by queue and name. */
export interface HandlerIndex {
  job(queue: QueueName, name: string): JobHandler | undefined;
  task(queue: QueueName, name: string): ScheduledTask | undefined;
  tasks: readonly ScheduledTask[];
}

/** Indexes a registry. @throws Error when two entries claim the same work */
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

/** Like {@link indexRegistry}, for a complete registry. @throws Error when a job that can be enqueued has no handler */
export function indexEveryJob(registry: Registry): HandlerIndex {
  const index = indexRegistry(registry);
  for (const queue of QUEUE_NAMES) {
    for (const name of QUEUES[queue].jobs) {
      if (!index.job(queue, name)) throw new Error(`no handler does the job ${queue}/${name}`);
    }
  }
  return index;
}
