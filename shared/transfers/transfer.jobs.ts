import { type Static, Type } from 'typebox';
import type { JobRequest } from '../outbox/job.ts';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';

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

/** One push, from the hand-over to the registrar's last word. */
export const PushTransferPayload = Type.Object({
  orderId: OrderId,
  attempt: Type.Integer({ minimum: 1 }),
});
export type PushTicket = Static<typeof PushTransferPayload>;

/** Confirm a delivery without a person, under the automatic policy. */
export const ConfirmDeliveryPayload = Type.Object({ orderId: OrderId });

/** Stop a push whose order was refunded. */
export const CancelPushPayload = PushTransferPayload;

export function pushTransferJob({ orderId, attempt }: PushTicket, now: Date): JobRequest {
  return {
    queue: 'transfers',
    name: 'push-transfer',
    payload: { orderId, attempt },
    runAt: now,
    dedupeKey: `push-transfer:${orderId}:${attempt}`,
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

export function cancelPushJob({ orderId, attempt }: PushTicket, now: Date): JobRequest {
  return {
    queue: 'transfers',
    name: 'cancel-push',
    payload: { orderId, attempt },
    runAt: now,
    dedupeKey: `cancel-push:${orderId}:${attempt}`,
  };
}
