import { Type } from 'typebox';
import type { Job } from '../../../shared/messaging/jobs/job.ts';
import { done, handle } from '../../../workers/runtime/job-handler.ts';
import { logRun } from './run-log.ts';

/** A no-op job, so that all its time is overhead. */
export const noOpJob: Job<{ n: number }> = {
  queue: 'transfers',
  name: 'no-op',
  payload: Type.Object({ n: Type.Integer() }, { additionalProperties: false }),
  deadlineMs: 5_000,
  retryMs: [1_000, 1_000],
};

export const noOpHandler = handle(noOpJob, async (_context, { n }) => {
  logRun(n);
  return done();
});
