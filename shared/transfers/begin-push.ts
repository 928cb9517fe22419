import { recordEvents } from '../events/record-events.ts';
import { lockOrderById } from '../orders/move-order.ts';
import type { Runtime } from '../runtime.ts';
import { moveTransfer } from './move-transfer.ts';
import type { PushAttempt } from './transfer.jobs.ts';
import { lockTransfer } from './transfer.store.ts';
import type { Transfer } from './transfer.ts';

/** A push that is this attempt's to carry on. */
export interface OpenPush {
  transfer: Transfer;
  domain: string;
}

/**
 * Claims a push: the first run moves it from queued to pushing, every later run finds it where it is.
 * Undefined when there is nothing left to do for this attempt.
 * @throws not_found
 */
export async function beginPush(
  { db, clock, registrars }: Pick<Runtime, 'db' | 'clock' | 'registrars'>,
  { orderId, attempt }: PushAttempt,
): Promise<OpenPush | undefined> {
  return db.transact(async (tx) => {
    const order = await lockOrderById(tx, orderId);
    const transfer = await lockTransfer(tx, orderId);
    if (!transfer) return undefined;
    if (isCurrentPush(transfer, attempt)) return { transfer, domain: order.domain };
    if (transfer.status !== 'queued' || transfer.attempts !== attempt - 1) return undefined;
    if (transfer.cancellation !== null) return undefined;
    const now = clock.now();
    const begun = await moveTransfer(tx, order, transfer, 'begin', {
      now,
      attempts: attempt,
      registrar: registrars(transfer.environment).name,
    });
    await recordEvents(tx, order, begun.events, now);
    return { transfer: begun.transfer, domain: order.domain };
  });
}

/** Whether the registrar's word on this attempt still matters; not while a refund waits for its cancellation. */
export function isCurrentPush(transfer: Transfer, attempt: number): boolean {
  return (
    transfer.attempts === attempt &&
    transfer.cancellation === null &&
    (transfer.status === 'pushing' ||
      transfer.status === 'pending_registry' ||
      transfer.status === 'action_required')
  );
}
