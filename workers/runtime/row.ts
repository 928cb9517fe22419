import type { Static, TSchema } from 'typebox';
import type { JobReference } from '../../shared/outbox/job.ts';
import type { Tx } from '../../shared/platform/db.ts';
import type { QueueName } from '../../shared/platform/queues.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Outcome } from './outcome.ts';

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
