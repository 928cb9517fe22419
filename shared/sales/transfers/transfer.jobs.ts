import { type Static, Type } from 'typebox';
import type { JobRequest } from '../../delivery/jobs/job.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/** Waits between attempts to reach the registrar, in milliseconds; a person looks after the last one. */
export const PUSH_RETRY_MS = [
  SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
];

const OrderId = Type.String({ minLength: 1 });

/** Start the transfer of a paid order; requested where the order becomes payable (`startTransferJobs`). */
export const StartTransferPayload = Type.Object({ orderId: OrderId });

/** The hand-over of one push to the registrar. */
export const PushTransferPayload = Type.Object({
  orderId: OrderId,
  attempt: Type.Integer({ minimum: 1 }),
});
export type PushAttempt = Static<typeof PushTransferPayload>;

/** The polls of a push that the registrar has taken, until its last word. */
export const PollTransferPayload = PushTransferPayload;

/** Confirm a delivery without a person, under the automatic policy. */
export const ConfirmDeliveryPayload = Type.Object({ orderId: OrderId });

/** Ask the registrar to stop the push of an order that is to be refunded. */
export const StopPushPayload = PushTransferPayload;

/** The job as it was called before a refund waited for it. Rows of it may be left in the outbox. */
export const LEGACY_STOP_PUSH = {
  queue: 'transfers',
  name: 'cancel-push',
} as const;

export function pushTransferJob({ orderId, attempt }: PushAttempt, now: Date): JobRequest {
  return {
    queue: 'transfers',
    name: 'push-transfer',
    payload: { orderId, attempt },
    runAt: now,
    dedupeKey: `push-transfer:${orderId}:${attempt}`,
  };
}

/** In a queue of its own: however many pushes are open, a fresh one never waits for their polls. */
export function pollTransferJob({ orderId, attempt }: PushAttempt, runAt: Date): JobRequest {
  return {
    queue: 'transfer-polls',
    name: 'poll-transfer',
    payload: { orderId, attempt },
    runAt,
    dedupeKey: `poll-transfer:${orderId}:${attempt}`,
  };
}

export function confirmDeliveryJob(orderId: string, runAt: Date): JobRequest {
  return {
    queue: 'transfers',
    name: 'confirm-delivery',
    payload: { orderId },
    runAt,
    dedupeKey: `confirm-delivery:${orderId}`,
  };
}

/** @param cause the id of the refund that waits for it, or of the transfer that was cancelled without an answer */
export function stopPushJob(
  { orderId, attempt }: PushAttempt,
  cause: string,
  now: Date,
): JobRequest {
  return {
    queue: 'transfers',
    name: 'stop-push',
    payload: { orderId, attempt },
    runAt: now,
    dedupeKey: `stop-push:${cause}`,
  };
}
