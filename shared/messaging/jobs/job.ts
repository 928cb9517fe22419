import type { Static, TSchema } from 'typebox';
import type { QUEUES, QueueName } from './job-queues.ts';

/**
 * A kind of background job, defined by its feature. A command adds it to its unit of work (`uow.jobs.add`), and
 * `workers/` handles it.
 */
export interface Job<P = never, N extends string = string> {
  queue: QueueName;
  name: N;
  /** Checked before the handler runs. Holds ids, never personal data. */
  payload: TSchema;
  /** How long a run may take before it is aborted and abandoned. */
  deadlineMs: number;
  /** The waits after the first, second, ... failed attempt; there is one more attempt than waits. */
  retryMs: readonly number[];
  /** At most one job exists per key, forever or until the key is released; a second request is dropped. */
  dedupeKey?(payload: P): string;
}

/** The payload type of a job definition. */
export type PayloadOf<J> = J extends Job<infer P, string> ? P : never;

/** Defines a job. Its name must be in {@link QUEUES}; `workers/` does not compile without a handler for it. */
export function defineJob<
  Q extends QueueName,
  const N extends (typeof QUEUES)[Q]['jobs'][number],
  T extends TSchema,
>(
  definition: Omit<Job<Static<T>, N>, 'queue' | 'payload'> & { queue: Q; payload: T },
): Job<Static<T>, N> {
  return definition;
}

/** The topic that wakes the relay between its polls. */
export const RELAY = 'relay';

/** A job to store in the outbox. */
export interface JobRequest {
  queue: QueueName;
  name: string;
  payload: unknown;
  runAt: Date;
  dedupeKey: string | null;
}

/** A job on its way to a worker. */
export interface DispatchedJob {
  id: number;
  queue: QueueName;
  name: string;
  epoch: number;
  /** The number of attempts that had started when the job was claimed. */
  attempts: number;
  /** The row whose BullMQ job carries it: the job's own row, or the first of its batch. */
  batchId: number;
  /** Milliseconds until the job is due. */
  waitMs: number;
  /** The payload, for operators to read in the BullMQ job; null unless the queue's jobs are {@link QUEUES.standing}. */
  about: unknown;
}

/** A dispatch that has not started: starting it would increment `attempts`. */
export type UnbegunJob = Pick<DispatchedJob, 'id' | 'epoch' | 'attempts'>;

/** The data of a BullMQ job: only a reference to the outbox row, which has everything else. */
export interface JobReference {
  outboxId: number;
  epoch: number;
}

/** A running job. */
export interface RunningJob extends JobReference {
  /** Set once a unit of work that marked the job as done has committed: its row needs no further write. */
  isDone?: boolean;
}

/** The data of a BullMQ job that carries a batch: the first row, and the rows to run after it, one by one. */
export interface CarriedJobs extends JobReference {
  /** Row ids, with the same epoch. */
  followers?: readonly number[];
  /** The payload, for operators to read; the worker uses the row. */
  about?: unknown;
}

/** Returns the BullMQ data for a dispatch. */
export function ticketOf({ id, epoch }: Pick<DispatchedJob, 'id' | 'epoch'>): JobReference {
  return { outboxId: id, epoch };
}

/** Thrown by the unit of work of a job that finished elsewhere meanwhile; the transaction rolls back. */
export class AlreadyFinished extends Error {
  constructor() {
    super('the job was done elsewhere');
    this.name = 'AlreadyFinished';
  }
}

/** Returns the BullMQ id for a dispatch: adding the same dispatch twice makes one job. */
export function jobIdOf(job: DispatchedJob): string {
  return `${job.name}-${job.batchId}-${job.epoch}`;
}
