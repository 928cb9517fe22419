import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY, HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Order } from './order.ts';

/** The deadline and retries of a job that calls the registrar. After the last retry, staff must look into it. */
export const REGISTRAR_CALL = {
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
} as const;

/**
 * Starts the transfer of a paid order under the automatic policy, and makes its first push. Orders add this job, so it
 * is defined here: orders do not depend on the jobs of transfers.
 */
export const startTransferJob = defineJob({
  queue: 'transfers',
  name: 'start-transfer',
  payload: Type.Object({ orderId: Type.String({ minLength: 1 }) }),
  ...REGISTRAR_CALL,
  dedupeKey: ({ orderId }) => `start-transfer:${orderId}`,
});

/** The waits between the mails that ask for the registrant: the reminders go out on day 2 and day 7. */
export const REMINDER_WAITS_MS = [2 * DAY, 5 * DAY] as const;

/** Reminds the buyer and the partner of an order that waits for its registrant. */
export const remindRegistrantJob = defineJob({
  queue: 'transfers',
  name: 'remind-registrant',
  payload: Type.Object({
    orderId: Type.String({ minLength: 1 }),
    reminder: Type.Integer({ minimum: 1 }),
  }),
  deadlineMs: MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ orderId, reminder }) => `remind-registrant:${orderId}:${reminder}`,
});

/** Returns how transfers in an environment are started and confirmed. */
export function transferPolicy(config: Config, environment: Environment): 'manual' | 'automatic' {
  return environment === 'LIVE' ? config.transferPolicyLive : config.transferPolicySandbox;
}

/**
 * Schedules the transfer of a paid order after a short wait, under the automatic policy. Does nothing under the manual
 * policy or while the order needs action.
 */
export function scheduleTransfer(
  uow: UnitOfWork,
  config: Config,
  order: Pick<Order, 'id' | 'environment' | 'actionRequired'>,
): void {
  if (order.actionRequired !== null) return;
  if (transferPolicy(config, order.environment) === 'manual') return;
  const runAt = addMs(uow.now, config.transferStartDelayMs);
  uow.jobs.add(startTransferJob, { orderId: order.id }, { runAt });
}
