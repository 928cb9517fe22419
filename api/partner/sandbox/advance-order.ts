import { getOrderDetail } from '../../../shared/orders/read-orders.ts';
import { advanceOrder } from '../../../shared/sandbox/advance-order.ts';
import { reply } from '../../http/reply.ts';
import { OrderDetailView, OrderParams } from '../orders/order.schema.ts';
import { orderDetailView } from '../orders/order.view.ts';
import { partnerRoute } from '../route.ts';
import { AdvanceInput } from './advance.schema.ts';

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
    return reply(200, orderDetailView(await getOrderDetail(context, caller, params.public_id)));
  },
});
