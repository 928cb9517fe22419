import { Type } from 'typebox';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../jobs/job.ts';

/** Sends one mail. Attempts at the SMTP server follow `mailScheduleMs`; the waits here are for faults of ours. */
export const sendMailJob = defineJob({
  queue: 'mail',
  name: 'send-mail',
  payload: Type.Object({ mailId: Type.String() }),
  deadlineMs: 2 * MINUTE,
  retryMs: [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE],
});
