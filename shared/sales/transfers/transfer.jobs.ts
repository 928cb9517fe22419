import { type Static, Type } from 'typebox';
import { defineJob } from '../../messaging/jobs/job.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { REGISTRAR_CALL } from '../orders/order.jobs.ts';

const OrderId = Type.String({ minLength: 1 });

/** One push of a domain: each one more has the next number. */
const PushAttempt = Type.Object({ orderId: OrderId, attempt: Type.Integer({ minimum: 1 }) });
export type PushAttempt = Static<typeof PushAttempt>;

/**
 * Hands one push over to the registrar; from its first answer on the push is polled. The first push of the automatic
 * policy is made by the job that starts the transfer.
 */
export const pushTransferJob = defineJob({
  queue: 'transfers',
  name: 'push-transfer',
  payload: PushAttempt,
  ...REGISTRAR_CALL,
  dedupeKey: ({ orderId, attempt }) => `push-transfer:${orderId}:${attempt}`,
});

/**
 * Asks after a push that the registrar has taken, until its last word. In a queue of its own: however many pushes
 * are open, a fresh one never waits for their polls.
 */
export const pollTransferJob = defineJob({
  queue: 'transfer-polls',
  name: 'poll-transfer',
  payload: PushAttempt,
  ...REGISTRAR_CALL,
  dedupeKey: ({ orderId, attempt }) => `poll-transfer:${orderId}:${attempt}`,
});

/** Confirms a delivery that the registrar called done, under the automatic policy. */
export const confirmDeliveryJob = defineJob({
  queue: 'transfers',
  name: 'confirm-delivery',
  payload: Type.Object({ orderId: OrderId }),
  deadlineMs: MINUTE,
  retryMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
  dedupeKey: ({ orderId }) => `confirm-delivery:${orderId}`,
});

/** Asks the registrar to stop the push of an order that is to be refunded. */
export const stopPushJob = defineJob({
  queue: 'transfers',
  name: 'stop-push',
  payload: PushAttempt,
  ...REGISTRAR_CALL,
});
