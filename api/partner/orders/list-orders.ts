import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../shared/orders/order-states.ts';
import { listOrders } from '../../../shared/orders/read-orders.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { parsePeriod } from '../../http/pagination.ts';
import { reply } from '../../http/reply.ts';
import { partnerRoute } from '../route.ts';
import { OrderListQuery, OrderListView } from './order.schema.ts';
import { orderView } from './order.view.ts';

/** `GET /orders`: the partner's orders, newest first. */
export const listOrdersRoute = partnerRoute({
  method: 'GET',
  path: '/v1/orders',
  summary: 'List your orders, newest first.',
  scopes: ['buy', 'search'],
  limit: 'reads',
  query: OrderListQuery,
  responses: { 200: OrderListView },
  async handler(context, { caller, query }) {
    const { limit, cursor, ...filters } = query;
    const position = await context.cursors.read(cursor, ['orders', filters]);
    const orders = await listOrders(context, caller, {
      ...parsePeriod(filters),
      statuses: parseStatuses(filters.status),
      domain: filters.domain === undefined ? null : parseDomain(filters.domain).ascii,
      before: position && { createdAt: new Date(Number(position[0])), id: String(position[1]) },
      limit: limit + 1,
    });
    const page = orders.slice(0, limit);
    const last = page.at(-1);
    const next =
      orders.length > limit && last
        ? await context.cursors.write([last.createdAt.getTime(), last.id], ['orders', filters])
        : null;
    return reply(200, { orders: page.map(orderView), next_cursor: next });
  },
});

function parseStatuses(text: string | undefined): OrderStatus[] | null {
  if (text === undefined) return null;
  return text.split(',').map((part) => {
    const status = ORDER_STATUSES.find((known) => known === part.trim());
    if (!status)
      throw invalid([
        { path: '/status', message: `must name any of ${ORDER_STATUSES.join(', ')}` },
      ]);
    return status;
  });
}
