import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

/** Finds the partners for which a run has work, and adds a job for each. */
export const startRunJob = defineJob({
  queue: 'settlements',
  name: 'start-run',
  payload: Type.Object({ runId: Type.String() }),
  deadlineMs: MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ runId }) => `settlement-run:${runId}`,
});

/** Closes a run's periods for one partner in batches; after an interruption, the next attempt continues. */
export const closePartnerJob = defineJob({
  queue: 'settlements',
  name: 'close-partner',
  payload: Type.Object({ runId: Type.String(), partnerId: Type.String() }),
  deadlineMs: 10 * MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ runId, partnerId }) => `settlement-run:${runId}:${partnerId}`,
});
