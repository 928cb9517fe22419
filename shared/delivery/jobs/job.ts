import type { QueueName } from './job-queues.ts';

/** Work for later, written in the transaction that causes it. The payload holds ids, never personal data. */
export interface JobRequest {
  queue: QueueName;
  name: string;
  payload: Readonly<Record<string, string | number | boolean | null>>;
  runAt: Date;
  /** At most one job ever exists under a key; a second request with it is dropped. */
  dedupeKey?: string;
}

/** A job on its way to a worker. */
export interface DispatchedJob {
  id: number;
  queue: QueueName;
  name: string;
  epoch: number;
}

/** What BullMQ carries: where the truth stands, nothing else. */
export interface JobReference {
  outboxId: number;
  epoch: number;
}

/** The BullMQ id of a dispatch: the same dispatch added twice is one job. */
export function jobIdOf(job: DispatchedJob): string {
  return `${job.name}-${job.id}-${job.epoch}`;
}
