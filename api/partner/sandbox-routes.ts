import { Type } from 'typebox';
import { advanceOrder } from '../../shared/operations/demo/advance-sandbox-order.ts';
import { ORDER_STATUSES } from '../../shared/sales/orders/order.ts';
import { getOrderDetail } from '../../shared/sales/orders/read-orders.ts';
import { reply } from '../http/reply.ts';
import { OrderDetailView, OrderParams, orderDetailView } from './order-routes.ts';
import { partnerRoute } from './partner-route.ts';

export const AdvanceInput = Type.Object(
  {
    to: Type.Enum([...ORDER_STATUSES], { description: 'One legal step from the present status.' }),
  },
  { title: 'AdvanceInput', examples: [{ to: 'TRANSFER_IN_PROGRESS' }] },
);

/** `POST /sandbox/orders/{public_id}/advance`: plays our part, so that a partner can see a whole life. */
export const advanceOrderRoute = partnerRoute({
  method: 'POST',
  path: '/v1/sandbox/orders/:public_id/advance',
  operationId: 'advanceOrder',
  summary: 'Move a sandbox order one step on.',
  description: '`SETTLED` closes a statement of your delivered sandbox orders at once.',
  scopes: ['buy'],
  limit: 'write',
  sandboxOnly: true,
  params: OrderParams,
  body: AdvanceInput,
  responses: { 200: OrderDetailView },
  errors: ['conflict'],
  async handler(context, { caller, params, body }) {
    await advanceOrder(context, caller, { orderId: params.public_id, to: body.to });
    return reply(
      200,
      orderDetailView(context, await getOrderDetail(context, caller, params.public_id)),
    );
  },
});
