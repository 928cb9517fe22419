import { getOrder } from '../orders/read-orders.ts';
import type { Caller } from '../partners/credential.ts';
import { conflict } from '../platform/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Refund, RefundReason } from './refund.ts';
import { refundOrder } from './refund-order.ts';

/**
 * A partner's own refund of an order that it collected the money for, until the registrar has moved the domain.
 * @throws not_found, also for another partner's order; conflict (not_partner_collected, already_refunded,
 *   invalid_state)
 */
export async function requestRefund(
  runtime: Pick<Runtime, 'db' | 'clock'>,
  caller: Caller,
  request: { orderId: string; reason: RefundReason; note: string | null },
): Promise<Refund> {
  // Whose an order is, and who collected its money, never changes, so the look may come before the transaction.
  const { paymentModel } = await getOrder(runtime, caller, request.orderId);
  if (paymentModel !== 'merchant_of_record') {
    throw conflict(
      'not_partner_collected',
      'We collected the money for this order, so we refund it: the buyer gets it back from us. Ask the operator, with the id of the order.',
    );
  }
  const { refund } = await runtime.db.transactFor(caller.partnerId, (tx) =>
    refundOrder(tx, runtime, { ...request, kind: 'refund', requestedBy: caller.keyId }),
  );
  return refund;
}
