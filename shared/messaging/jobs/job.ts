import type { Static, TSchema } from 'typebox';
import type { QUEUES, QueueName } from './job-queues.ts';

/**
 * A kind of work for later. A command adds it to its unit of work (`uow.jobs.add`), and `workers/` handles it. Its
 * feature defines it.
 */
export interface Job<P = never, N extends string = string> {
  queue: QueueName;
  name: N;
  /** Checked before the handler runs. Holds ids, never personal data. */
  payload: TSchema;
  /** After this time the run is aborted, and no longer waited for. */
  deadlineMs: number;
  /** Waits after the first, second, ... failed attempt; there is one attempt more than waits. */
  retryMs: readonly number[];
  /** At most one job exists under a key, for ever or until the key is released; a second request is dropped. */
  dedupeKey?(payload: P): string;
}

/** The payload that a job's definition names. */
export type PayloadOf<J> = J extends Job<infer P, string> ? P : never;

/** Defines a job. Its name stands in {@link QUEUES}; without a handler of it `workers/` does not compile. */
export function defineJob<
  Q extends QueueName,
  const N extends (typeof QUEUES)[Q]['jobs'][number],
  T extends TSchema,
>(
  definition: Omit<Job<Static<T>, N>, 'queue' | 'payload'> & { queue: Q; payload: T },
): Job<Static<T>, N> {
  return definition;
}

/** The topic that wakes the relay, beside its poll. */
export const RELAY = 'relay';

/** A job as the outbox keeps it. */
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
  /** Attempts that had begun when it was claimed. */
  attempts: number;
  /** The row whose BullMQ job carries it: the job's own row, or the first of its batch. */
  batchId: number;
  /** Milliseconds until it is due. */
  waitMs: number;
  /** The payload, for operators to read in the BullMQ job; null unless the queue's jobs are {@link QUEUES.standing}. */
  about: unknown;
}

/** A dispatch that has not begun: beginning it would raise `attempts`. */
export type UnbegunJob = Pick<DispatchedJob, 'id' | 'epoch' | 'attempts'>;

/** The data of a BullMQ job: only the row that has everything else. */
export interface JobReference {
  outboxId: number;
  epoch: number;
}

/** A job at work. */
export interface RunningJob extends JobReference {
  /** Set once a unit of work that marked it done has committed: its row needs no further write. */
  isDone?: boolean;
}

/** The data of a BullMQ job of a batch: the first row, and the rows that run after it, one by one. */
export interface CarriedJobs extends JobReference {
  /** Ids of rows, of the same epoch. */
  followers?: readonly number[];
  /** The payload, for operators to read; the job itself goes by its row. */
  about?: unknown;
}

/** The data that BullMQ carries for a dispatch. */
export function ticketOf({ id, epoch }: Pick<DispatchedJob, 'id' | 'epoch'>): JobReference {
  return { outboxId: id, epoch };
}

/** Thrown by the unit of work of a job that was finished elsewhere meanwhile; its transaction rolls back. */
export class AlreadyFinished extends Error {
  constructor() {
    super('the job was done elsewhere');
    this.name = 'AlreadyFinished';
  }
}

/** The BullMQ id of the job that carries a dispatch: the same dispatch added twice is one job. */
export function jobIdOf(job: DispatchedJob): string {
  return `${job.name}-${job.batchId}-${job.epoch}`;
}
