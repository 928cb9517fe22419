import { Type } from 'typebox';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../jobs/job.ts';

/** Sends one mail. SMTP attempts follow `mailScheduleMs`; the retries here are for failures on our side. */
export const sendMailJob = defineJob({
  queue: 'mail',
  name: 'send-mail',
  payload: Type.Object({ mailId: Type.String() }),
  deadlineMs: 2 * MINUTE,
  retryMs: [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE],
});
