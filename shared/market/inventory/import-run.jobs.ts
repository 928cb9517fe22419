import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Lists the domains of a file uploaded in the console. */
export const importListingsJob = defineJob({
  queue: 'maintenance',
  name: 'import-listings',
  payload: Type.Object({ importId: Type.Integer({ minimum: 1 }) }),
  deadlineMs: HOUR,
  retryMs: [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE],
  dedupeKey: ({ importId }) => `import-listings:${importId}`,
});
