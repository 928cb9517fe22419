import { Type } from 'typebox';
import { REFUND_REASONS } from '../../../shared/refunds/refund.ts';
import { Instant } from '../../http/schema.ts';

export const RefundInput = Type.Object(
  {
    order_id: Type.String({
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

export const RefundView = Type.Object(
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
        'Null while the push of the domain is being stopped; `order.refunded` tells when it is.',
    }),
  },
  { title: 'Refund', description: 'An order taken back, or to be.' },
);
