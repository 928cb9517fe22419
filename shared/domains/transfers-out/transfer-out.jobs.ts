import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** One code of a transfer out; each further code has the next number. */
const IssuedCode = Type.Object({
  id: Type.String({ minLength: 1 }),
  issue: Type.Integer({ minimum: 1 }),
});
export type OutCode = Static<typeof IssuedCode>;

/** Watches a domain whose owner has its authorization code, until it has moved or the code has expired. */
export const watchTransferOutJob = defineJob({
  queue: 'transfer-polls',
  name: 'watch-transfer-out',
  payload: IssuedCode,
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
  dedupeKey: ({ id, issue }) => `watch-transfer-out:${id}:${issue}`,
});
