import type { Refund } from '../../../shared/refunds/refund.ts';
import { requestRefund } from '../../../shared/refunds/request-refund.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { RefundInput, RefundView } from './refund.schema.ts';

/** `POST /refunds`: takes an order back before its domain is delivered. */
export const createRefundRoute = partnerRoute({
  method: 'POST',
  path: '/v1/refunds',
  operationId: 'createRefund',
  summary: 'Refund an order whose domain is not delivered yet.',
  description:
    'For orders whose money you collected. Possible until the registrar has moved the domain. While its push may have left, `completed_at` is null and the order stays as it is: `order.refunded` tells that the push was stopped. Give the money back then.',
  scopes: ['buy'],
  limit: 'write',
  body: RefundInput,
  responses: { 201: RefundView },
  errors: ['not_found', 'conflict'],
  async handler(context, { caller, body }) {
    const refund = await requestRefund(context, caller, {
      orderId: body.order_id,
      reason: body.reason,
      note: body.note ?? null,
    });
    return reply(201, refundView(refund));
  },
});

function refundView(refund: Refund) {
  return {
    id: refund.id,
    order_id: refund.orderId,
    status: 'accepted',
    amount_cents: refund.amount.amount,
    currency: refund.amount.currency,
    reason: refund.reason,
    created_at: refund.createdAt.toISOString(),
    completed_at: refund.completedAt?.toISOString() ?? null,
  };
}
