import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { REGISTRAR_CALL } from '../orders/order.jobs.ts';

const OrderId = Type.String({ minLength: 1 });

/** One push of a domain, numbered from 1. */
const PushAttempt = Type.Object({ orderId: OrderId, attempt: Type.Integer({ minimum: 1 }) });
export type PushAttempt = Static<typeof PushAttempt>;

/**
 * Sends one push to the registrar. After the registrar's first answer, the push is polled. Under the automatic
 * policy, the job that starts the transfer makes the first push.
 */
export const pushTransferJob = defineJob({
  queue: 'transfers',
  name: 'push-transfer',
  payload: PushAttempt,
  ...REGISTRAR_CALL,
  dedupeKey: ({ orderId, attempt }) => `push-transfer:${orderId}:${attempt}`,
});

/**
 * Polls a push that the registrar has accepted until its final answer. It has its own queue, so that a new push never
 * waits for the polls of open ones.
 */
export const pollTransferJob = defineJob({
  queue: 'transfer-polls',
  name: 'poll-transfer',
  payload: PushAttempt,
  ...REGISTRAR_CALL,
  dedupeKey: ({ orderId, attempt }) => `poll-transfer:${orderId}:${attempt}`,
});

/** Confirms a delivery that the registrar reported as done, under the automatic policy. */
export const confirmDeliveryJob = defineJob({
  queue: 'transfers',
  name: 'confirm-delivery',
  payload: Type.Object({ orderId: OrderId }),
  deadlineMs: MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ orderId }) => `confirm-delivery:${orderId}`,
});

/** Asks the registrar to stop the push of an order that is being refunded. */
export const stopPushJob = defineJob({
  queue: 'transfers',
  name: 'stop-push',
  payload: PushAttempt,
  ...REGISTRAR_CALL,
});
