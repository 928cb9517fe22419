import { Type } from 'typebox';
import { listRepayments, markRepaid } from '../../../shared/payments/repay-buyer.ts';
import type { Repayment } from '../../../shared/payments/repayment.ts';
import { opsAction } from '../action.ts';

export const repaymentList = opsAction({
  name: 'repayment:list',
  summary: 'List the money that is to go back to buyers by hand, oldest first',
  columns: ['order_id', 'amount', 'domain', 'buyer_email', 'status'],
  input: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: 'How many at most. Defaults to 100.' }),
    ),
  }),
  async run(context, { limit = 100 }) {
    return { repayments: (await listRepayments(context, limit)).map(repaymentView) };
  },
});

export const repaymentMarkPaid = opsAction({
  name: 'repayment:mark-paid',
  summary: 'Record that a buyer got the money back by hand',
  input: Type.Object({
    order: Type.String({ description: 'Order id (ord_...).' }),
    reference: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The payment's reference.",
    }),
  }),
  run: async (context, { order, reference }) =>
    repaymentView(await markRepaid(context, context.actor, { orderId: order, reference })),
});

function repaymentView(repayment: Repayment) {
  return {
    order_id: repayment.orderId,
    partner_id: repayment.partnerId,
    environment: repayment.environment,
    domain: repayment.domain,
    buyer_email: repayment.buyerEmail,
    amount_cents: repayment.amount.amount,
    currency: repayment.amount.currency,
    status: repayment.status,
    reference: repayment.reference,
    created_at: repayment.createdAt,
    paid_at: repayment.paidAt,
  };
}
