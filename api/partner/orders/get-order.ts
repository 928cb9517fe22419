import { getOrderDetail } from '../../../shared/orders/read-orders.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { OrderDetailView, OrderParams } from './order.schema.ts';
import { orderDetailView } from './order.view.ts';

/** `GET /orders/{public_id}`: one order with its timeline and transfer. */
export const getOrderRoute = partnerRoute({
  method: 'GET',
  path: '/v1/orders/:public_id',
  operationId: 'getOrder',
  summary: 'Read an order with its timeline.',
  scopes: ['buy', 'search'],
  limit: 'reads',
  params: OrderParams,
  responses: { 200: OrderDetailView },
  async handler(context, { caller, params }) {
    return reply(200, orderDetailView(await getOrderDetail(context, caller, params.public_id)));
  },
});
