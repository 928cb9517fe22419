import { Type } from 'typebox';
import { oneLineText } from '../../shared/platform/one-line.ts';
import { REFUND_REASONS, type Refund } from '../../shared/sales/refunds/refund.ts';
import { requestRefund } from '../../shared/sales/refunds/refund-order.ts';
import { Instant } from '../http/common-schemas.ts';
import { reply } from '../http/reply.ts';
import { partnerRoute } from './partner-route.ts';

const RefundInput = Type.Object(
  {
    order_id: oneLineText({
      minLength: 1,
      maxLength: 64,
      description: '`public_id` of the order.',
    }),
    reason: Type.Enum([...REFUND_REASONS]),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  },
  {
    title: 'RefundInput',
    examples: [{ order_id: 'ord_01hzy3v7k6e8m9q4x5t2c0d1ab', reason: 'requested_by_customer' }],
  },
);

const RefundView = Type.Object(
  {
    id: Type.String(),
    order_id: Type.String(),
    status: Type.Enum(['accepted']),
    amount_cents: Type.Integer(),
    currency: Type.String(),
    reason: Type.Enum([...REFUND_REASONS]),
    created_at: Instant,
    completed_at: Type.Union([Instant, Type.Null()], {
      description:
        'Null while the push of the domain is being stopped; `order.refunded` announces that it was.',
    }),
  },
  { title: 'Refund', description: 'A refund of an order, completed or pending.' },
);

/** `POST /refunds`: refunds an order before its domain is delivered. */
export const createRefundRoute = partnerRoute({
  method: 'POST',
  path: '/v1/refunds',
  operationId: 'createRefund',
  summary: 'Refund an order whose domain has not been delivered yet.',
  description:
    'For orders whose payment you collected, until the registrar has moved the domain. If its push may already be on the way, `completed_at` is null and the order does not change: `order.refunded` announces that the push was stopped. Return the money then.',
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
