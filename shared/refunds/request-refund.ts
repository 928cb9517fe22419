import { getOrder } from '../orders/read-orders.ts';
import type { Caller } from '../partners/credential.ts';
import type { Runtime } from '../runtime.ts';
import type { Refund, RefundReason } from './refund.ts';
import { refundOrder } from './refund-order.ts';

/**
 * A partner's own refund, until the domain is delivered.
 * @throws not_found, also for another partner's order; conflict (already_refunded, invalid_state)
 */
export async function requestRefund(
  runtime: Pick<Runtime, 'db' | 'clock'>,
  caller: Caller,
  request: { orderId: string; reason: RefundReason; note: string | null },
): Promise<Refund> {
  // Whose an order is never changes, so the look may come before the transaction.
  await getOrder(runtime, caller, request.orderId);
  const { refund } = await runtime.db.transact((tx) =>
    refundOrder(tx, runtime, { ...request, kind: 'refund', requestedBy: caller.keyId }),
  );
  return refund;
}
