import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/**
 * Reminds a registrant whose address is to be verified, takes the domain out of the DNS when it was not, and back into it
 * when it is. There is one for each registrant at most, so that no two ask the registry for the opposite.
 */
export const followRegistrantJob = defineJob({
  queue: 'transfers',
  name: 'follow-registrant',
  payload: Type.Object({ registrantId: Type.String({ minLength: 1 }) }),
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  dedupeKey: ({ registrantId }) => `follow-registrant:${registrantId}`,
});

/** Has the registry register a domain for somebody else, or with other data. */
export const changeRegistrantJob = defineJob({
  queue: 'transfers',
  name: 'change-registrant',
  payload: Type.Object({ changeId: Type.String({ minLength: 1 }) }),
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  dedupeKey: ({ changeId }) => `change-registrant:${changeId}`,
});
