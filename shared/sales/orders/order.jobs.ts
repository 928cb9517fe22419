import { Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, DAY, HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Order } from './order.ts';

/** How a job asks the registrar: a person looks after the last wait. */
export const REGISTRAR_CALL = {
  deadlineMs: 30 * SECOND,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
} as const;

/**
 * Starts the transfer of a paid order, under the automatic policy, and makes its first push. The order asks for it, so it
 * stands here: orders know nothing of the jobs that follow in transfers.
 */
export const startTransferJob = defineJob({
  queue: 'transfers',
  name: 'start-transfer',
  payload: Type.Object({ orderId: Type.String({ minLength: 1 }) }),
  ...REGISTRAR_CALL,
  dedupeKey: ({ orderId }) => `start-transfer:${orderId}`,
});

/** How long after each mail that asks for the registrant the next is sent: on day 2 and on day 7. */
export const REMINDER_WAITS_MS = [2 * DAY, 5 * DAY] as const;

/** Reminds buyer and partner of an order that waits for its registrant. */
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

/** How transfers of an environment are started and confirmed. */
export function transferPolicy(config: Config, environment: Environment): 'manual' | 'automatic' {
  return environment === 'LIVE' ? config.transferPolicyLive : config.transferPolicySandbox;
}

/**
 * Under the automatic policy: start the transfer of a paid order after a short wait. Under the manual one, and while
 * the order waits for something: nothing.
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
