import {
  noticeEndpoints,
  noticeExpiringKeys,
  sendStaffDigest,
} from '../../shared/people/notices/send-notices.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { tellEnding } from '../../shared/sales/renewals/tell-ending.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';
import { runInBatches } from './sweep-task.ts';

const BATCH = 200;

/** Notifies partners of failing endpoints and expiring keys. */
export const sendNoticesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'send-notices',
  everyMs: 5 * MINUTE,
  deadlineMs: 2 * MINUTE,
  async run({ runtime, signal }) {
    if (!runtime.config.mail) return {};
    return {
      endpoints: await runInBatches(signal, (limit) => noticeEndpoints(runtime, limit), BATCH),
      keys: await runInBatches(signal, (limit) => noticeExpiringKeys(runtime, limit), BATCH),
    };
  },
};

/** Notifies owners of domains that expire soon, or have expired. */
export const tellEndingTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'tell-ending',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  run: async ({ runtime, signal }) =>
    runtime.config.mail ? runInBatches(signal, (limit) => tellEnding(runtime, limit), BATCH) : {},
};

/** Before this hour (UTC) the digest would repeat that of the previous day. */
const DIGEST_HOUR = 6;

/** Sends staff a daily digest of the work that waits for them. */
export const sendStaffDigestTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'send-staff-digest',
  everyMs: HOUR,
  deadlineMs: MINUTE,
  async run({ runtime }) {
    if (runtime.clock.now().getUTCHours() >= DIGEST_HOUR) await sendStaffDigest(runtime);
  },
};
