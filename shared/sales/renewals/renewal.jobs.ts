import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Makes the registry renew a paid domain. After the last retry staff must check, since it may have been renewed. */
export const renewDomainJob = defineJob({
  queue: 'transfers',
  name: 'renew-domain',
  payload: Type.Object({ renewalId: Type.String({ minLength: 1 }) }),
  deadlineMs: MINUTE,
  retryMs: [
    SECOND,
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
  ],
  dedupeKey: ({ renewalId }) => renewDomainKey(renewalId),
});

/** Returns the dedupe key of a renewal's job. */
export function renewDomainKey(renewalId: string): string {
  return `renew-domain:${renewalId}`;
}
