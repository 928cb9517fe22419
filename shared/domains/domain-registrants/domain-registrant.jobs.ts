import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** How the jobs that ask the registry run. */
const AT_REGISTRY = {
  queue: 'transfers',
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
} as const;

/**
 * Reminds a registrant to verify their address, takes the domain out of the DNS if they do not, and restores it once
 * they do. Each registrant has at most one such job, so that no two jobs ask the registry for opposite changes.
 */
export const followRegistrantJob = defineJob({
  name: 'follow-registrant',
  payload: Type.Object({ registrantId: Type.String({ minLength: 1 }) }),
  ...AT_REGISTRY,
  dedupeKey: ({ registrantId }) => `follow-registrant:${registrantId}`,
});

/** Returns a domain to the DNS that was out of it for a registrant who was forgotten. */
export const releaseHoldJob = defineJob({
  name: 'release-hold',
  payload: Type.Object({
    registrantId: Type.String({ minLength: 1 }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    domain: Type.String({ minLength: 1 }),
  }),
  ...AT_REGISTRY,
  dedupeKey: ({ registrantId }) => `release-hold:${registrantId}`,
});

/** Sends a registrant change to the registry. */
export const changeRegistrantJob = defineJob({
  name: 'change-registrant',
  payload: Type.Object({ changeId: Type.String({ minLength: 1 }) }),
  ...AT_REGISTRY,
  dedupeKey: ({ changeId }) => `change-registrant:${changeId}`,
});
