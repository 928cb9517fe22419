import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Screens open orders, registrants and payees against the lists again after a new version of a list is loaded. */
export const rescreenJob = defineJob({
  queue: 'maintenance',
  name: 'rescreen',
  payload: Type.Object({
    list: Type.String({ minLength: 1 }),
    version: Type.Integer({ minimum: 1 }),
  }),
  deadlineMs: HOUR,
  retryMs: [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE],
});
