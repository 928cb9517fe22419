import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../shared/orders/order-states.ts';
import { listOrders } from '../../../shared/orders/read-orders.ts';
import { cutPage, parsePeriod, parseTimeCursor, timeCursor } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { parseEnumList } from '../../http/words.ts';
import { partnerRoute } from '../route.ts';
import { OrderListQuery, OrderListView } from './order.schema.ts';
import { orderView } from './order.view.ts';

/** `GET /orders`: the partner's orders, newest first. */
export const listOrdersRoute = partnerRoute({
  method: 'GET',
  path: '/v1/orders',
  operationId: 'listOrders',
  summary: 'List your orders, newest first.',
  scopes: ['buy', 'search'],
  limit: 'reads',
  query: OrderListQuery,
  responses: { 200: OrderListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const paging = { limit, filters: ['orders', filters] };
    const position = await context.cursors.read(cursor, paging.filters);
    const orders = await listOrders(context, caller, {
      ...parsePeriod(filters),
      statuses: parseEnumList<OrderStatus>('/status', filters.status, ORDER_STATUSES),
      domain: filters.domain === undefined ? null : parseDomain(filters.domain).ascii,
      before: parseTimeCursor(position),
      limit: limit + 1,
    });
    const { page, nextCursor } = await cutPage(context.cursors, orders, paging, timeCursor);
    return reply(200, { orders: page.map(orderView), next_cursor: nextCursor });
  },
});
