import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Has the registry keep a domain where it is, or let it go, as its legal holds stand now. */
export const enforceLegalHoldJob = defineJob({
  queue: 'transfers',
  name: 'enforce-legal-hold',
  payload: Type.Object({ holdId: Type.String({ minLength: 1 }) }),
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
});
