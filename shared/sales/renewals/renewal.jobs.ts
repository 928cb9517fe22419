import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Has the registry do what an owner paid for. After the last wait a person looks: it may have been done. */
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

/** The key of the job of a renewal. */
export function renewDomainKey(renewalId: string): string {
  return `renew-domain:${renewalId}`;
}
