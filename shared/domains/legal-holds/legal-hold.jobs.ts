import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Locks a domain at the registry or unlocks it, according to its current legal holds. */
export const enforceLegalHoldJob = defineJob({
  queue: 'transfers',
  name: 'enforce-legal-hold',
  payload: Type.Object({ holdId: Type.String({ minLength: 1 }) }),
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
});
