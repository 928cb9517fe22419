import type { Static, TSchema } from 'typebox';
import type { JobReference } from '../../shared/delivery/jobs/job.ts';
import type { QueueName } from '../../shared/delivery/jobs/job-queues.ts';
import type { Tx } from '../../shared/platform/database/database.ts';
import type { Runtime } from '../../shared/runtime.ts';

/** What every kind of work is given. The signal ends it: its time is up, or the process must go. */
export interface WorkContext {
  runtime: Runtime;
  signal: AbortSignal;
}

/** What a processor is given beside its payload. */
export interface JobContext extends WorkContext {
  ticket: JobReference;
  /** From 1. */
  attempt: number;
  /** Whether a `retry` now would be the end. */
  lastAttempt: boolean;
  /**
   * Marks the job done in the transaction that holds the work's own result, so that both happen or
   * neither. When the job was done elsewhere meanwhile it throws, which rolls that transaction back.
   */
  finish(tx: Tx): Promise<void>;
}

export type HandleJob<P> = (context: JobContext, payload: P) => Promise<Outcome>;

/** A job that is recorded in the outbox. It may run twice, or on two workers at once. */
export interface JobHandler<T extends TSchema = TSchema, P = never> {
  queue: QueueName;
  name: string;
  payload: T;
  processor: HandleJob<P>;
  deadlineMs: number;
  /** Waits after the first, second, ... failed attempt; there is one attempt more than waits. */
  retryMs: readonly number[];
}

/** Upkeep that a scheduler starts every `everyMs`; it asks Postgres what is due and trusts no tick. */
export interface ScheduledTask {
  queue: QueueName;
  name: string;
  everyMs: number;
  deadlineMs: number;
  /** What it returns is kept as the job's result, for ops to read. */
  tick(context: WorkContext): Promise<unknown>;
}

/** A queue whose jobs are rows of another table, with a schedule and deadlines of their own. */
export interface QueueHandler {
  queue: QueueName;
  raw(context: WorkContext, data: unknown): Promise<unknown>;
}

export type RegistryEntry = JobHandler | ScheduledTask | QueueHandler;
export type Registry = readonly RegistryEntry[];

/** Ties the processor's payload type to the schema that is checked before it runs. */
export function defineHandler<T extends TSchema>(row: JobHandler<T, Static<T>>): JobHandler {
  return row;
}

/**
 * What became of a job. `retry` waits as the job's retry list says and is the end after the list;
 * `snooze` only waits: the run went well, so the next one has all attempts of the list again.
 */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'retry'; reason: string; afterMs?: number }
  | { kind: 'give_up'; reason: string }
  | { kind: 'snooze'; until: Date };

/** The work is done, or there was nothing left to do. */
export function done(): Outcome {
  return { kind: 'done' };
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
  tick(queue: QueueName, name: string): ScheduledTask | undefined;
  raw(queue: QueueName): QueueHandler | undefined;
  ticks: readonly ScheduledTask[];
}

/** @throws Error when two rows claim the same work */
export function indexRegistry(registry: Registry): HandlerIndex {
  const jobs = new Map<string, JobHandler>();
  const ticks = new Map<string, ScheduledTask>();
  const raws = new Map<string, QueueHandler>();
  const claimed = new Set<string>();
  for (const row of registry) {
    const key = 'raw' in row ? row.queue : `${row.queue}/${row.name}`;
    if (claimed.has(key)) throw new Error(`two rows of the job registry claim ${key}`);
    claimed.add(key);
    if ('raw' in row) raws.set(key, row);
    else if ('tick' in row) ticks.set(key, row);
    else jobs.set(key, row);
  }
  return {
    job: (queue, name) => jobs.get(`${queue}/${name}`),
    tick: (queue, name) => ticks.get(`${queue}/${name}`),
    raw: (queue) => raws.get(queue),
    ticks: [...ticks.values()],
  };
}
