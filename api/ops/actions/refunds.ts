import { Type } from 'typebox';
import {
  approveRefund,
  declineRefund,
  listRefundsToDecide,
} from '../../../shared/refunds/end-held-refund.ts';
import { opsAction } from '../action.ts';
import { orderAction } from './orders.ts';

export const refundList = opsAction({
  name: 'refund:list',
  summary:
    'List the refunds whose push could not be stopped and that wait for a decision, oldest first',
  columns: ['order_id', 'domain', 'cause', 'amount', 'waiting_since'],
  input: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: 'How many at most. Defaults to 100.' }),
    ),
  }),
  async run(context, { limit = 100 }) {
    const refunds = await listRefundsToDecide(context, limit);
    return {
      refunds: refunds.map((refund) => ({
        id: refund.id,
        order_id: refund.orderId,
        domain: refund.domain,
        environment: refund.environment,
        partner_id: refund.partnerId,
        partner: refund.partnerName,
        cause: refund.cause,
        transfer_status: refund.transferStatus,
        amount_cents: refund.amount.amount,
        currency: refund.amount.currency,
        reason: refund.reason,
        note: refund.note,
        requested_by: refund.requestedBy,
        created_at: refund.createdAt,
        waiting_since: refund.since,
      })),
    };
  },
});

export const refundApprove = orderAction(
  'refund:approve',
  'Refund an order anyway although its push could not be stopped; the domain stays off the market',
  approveRefund,
);

export const refundDecline = orderAction(
  'refund:decline',
  'Decline the refund of an order whose push could not be stopped: deliver it after all',
  declineRefund,
);
