import { Type } from 'typebox';
import type { Job } from '../../shared/messaging/jobs/job.ts';
import {
  handle,
  type JobContext,
  type Outcome,
  type Registry,
} from '../../workers/runtime/job-handler.ts';
import { outboxOf } from './effects.ts';
import { eventually } from './eventually.ts';
import type { Runtime } from './runtime.ts';

/** Returns a job that does what the test says, attempt by attempt. */
export function scripted(
  script: (context: JobContext, payload: { n: number }) => Promise<Outcome>,
  options: { deadlineMs?: number; retryMs?: readonly number[] } = {},
): Registry {
  const { deadlineMs = 5_000, retryMs = [10, 20] } = options;
  return [handle({ ...scriptedJob, deadlineMs, retryMs }, script)];
}

export const scriptedJob: Job<{ n: number }> = {
  queue: 'maintenance',
  name: 'scripted',
  payload: Type.Object({ n: Type.Integer() }, { additionalProperties: false }),
  deadlineMs: 5_000,
  retryMs: [10, 20],
};

/** Enqueues one, even with a payload that it does not know. */
export async function enqueueScripted(
  { db }: Runtime,
  payload: Record<string, string | number> = { n: 1 },
): Promise<void> {
  await db.transact(async (uow) => uow.jobs.add(scriptedJob, payload as never));
}

/** Returns the first outbox row once all rows are done or dead. */
export async function settled(runtime: Runtime) {
  const rows = await eventually(
    () => outboxOf(runtime),
    (all) => all.every((row) => row.state === 'done' || row.state === 'dead'),
  );
  return rows[0];
}

/** Returns the BullMQ jobs in this state, as operators see them. */
export function bullJobs({ queues }: Pick<Runtime, 'queues'>, state: 'completed' | 'failed') {
  return queues.get('maintenance').getJobs([state]);
}

/** Returns a promise that a test resolves. */
export function withResolvers(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
