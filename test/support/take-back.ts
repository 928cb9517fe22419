import type { RefundKind } from '../../shared/sales/refunds/refund.ts';
import { refundOrder } from '../../shared/sales/refunds/refund-order.ts';
import type { Runtime } from './runtime.ts';

/**
 * Reverses an order as operators would: refund, cancellation or clawback, by default according to its state. Returns
 * false if the refund waits for the registrar.
 */
export async function takeBack(
  runtime: Runtime,
  orderId: string,
  kind: RefundKind | 'by_state' = 'by_state',
): Promise<boolean> {
  const { refund } = await runtime.db.transact((uow) =>
    refundOrder(uow, { orderId, kind, reason: 'other', note: null, requestedBy: 'test' }),
  );
  return refund.completedAt !== null;
}
