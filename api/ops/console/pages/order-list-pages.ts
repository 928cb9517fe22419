import { Type } from 'typebox';
import {
  countOrdersByStage,
  listAllOrders,
  listOrdersInStage,
  type WorklistOrder,
  type WorklistStage,
} from '../../../../shared/operations/order-worklist/order-worklist.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { ORDER_STATUSES } from '../../../../shared/sales/orders/order.ts';
import { filterForm } from '../../../pages/kit/form.ts';
import { humanize, money, pathWith, timestamp } from '../../../pages/kit/format.ts';
import { link, tabs } from '../../../pages/kit/page-parts.ts';
import { ACTIONS, numberColumn, pager, table } from '../../../pages/kit/table.ts';
import { ORDER_FORMS } from '../action-forms.ts';
import { offeredLinks } from '../action-links.ts';
import {
  CursorField,
  consolePage,
  EnvironmentFilter,
  environmentFilter,
  IdField,
  PAGE_SIZE,
  type PageContext,
  statusFilter,
} from '../console-page.ts';
import { orderPath, partnerPath, TRANSFERS_PATH } from '../console-paths.ts';
import { REFUND_WAITS } from '../refund-waits.ts';
import { environmentTag, statusBadge } from '../status-badge.ts';

/** Orders that wait for a decision. */
export const reviewPage = consolePage({
  path: '/review',
  input: Type.Object({ environment: EnvironmentFilter, cursor: CursorField }),
  async show(context, { environment = null, cursor = null }) {
    const page = { environment, after: cursor, limit: PAGE_SIZE };
    const { rows: orders, next } = await listOrdersInStage(context, 'review', page);
    const back = pathWith('/ops/review', { environment });
    return {
      title: 'Orders in review',
      section: 'review',
      content: html`<p class="intro">Held by a review rule, oldest first.</p>
${filterForm('/ops/review', [environmentFilter(environment)])}
${table(
  'Orders in review',
  ['Domain', 'Held for', PRICE, 'Buyer', 'Partner', 'Recorded', ACTIONS],
  orders.map((order) => [
    domainCell(order),
    order.reviewReasons.map(humanize).join(', '),
    money(order.price),
    html`${order.buyerEmail}${order.buyerCountry && html`<span class="sub">${order.buyerCountry}</span>`}`,
    partnerCell(order),
    timestamp(order.createdAt, context.now),
    orderLinks(order, back, ['order-clear', 'order-cancel']),
  ]),
  'No orders to review.',
)}
${pager('/ops/review', { environment, cursor: next }, 'Later orders', cursor === null)}`,
    };
  },
});

type TransferStage = Exclude<WorklistStage, 'review'>;

/** The lists of the page: their tab, what is said of an empty one, and what can be done with its orders. */
const STAGES: Readonly<
  Record<TransferStage, { text: string; empty: string; forms: readonly OrderFormName[] }>
> = {
  to_push: {
    text: 'To start',
    empty: 'No transfers to start.',
    forms: ['order-start-transfer'],
  },
  under_way: {
    text: 'In progress',
    empty: 'No transfers in progress.',
    forms: ['order-confirm-delivery'],
  },
  action_required: {
    text: 'Need action',
    empty: 'No transfers need action.',
    forms: ['order-retry-transfer', 'order-confirm-delivery'],
  },
  failed: { text: 'Failed', empty: 'No failed transfers.', forms: ['order-retry-transfer'] },
  to_confirm: {
    text: 'To confirm',
    empty: 'No deliveries to confirm.',
    forms: ['order-confirm-delivery'],
  },
  refund_to_decide: {
    text: 'Refunds to decide',
    empty: 'No refunds to decide.',
    forms: ['refund-approve', 'refund-decline'],
  },
};
const STAGE_NAMES = Object.keys(STAGES) as TransferStage[];

/** Orders on their way to the buyer, by where they stand. */
export const transfersPage = consolePage({
  path: '/transfers',
  input: Type.Object({
    stage: Type.Enum(STAGE_NAMES, { default: 'to_push' }),
    environment: EnvironmentFilter,
    cursor: CursorField,
  }),
  async show(context, { stage, environment = null, cursor = null }) {
    const page = { environment, after: cursor, limit: PAGE_SIZE };
    const [{ rows: orders, next }, counts] = await Promise.all([
      listOrdersInStage(context, stage, page),
      countOrdersByStage(context, environment),
    ]);
    const here = pathWith(TRANSFERS_PATH, { stage, environment });
    const { text, empty, forms } = STAGES[stage];
    return {
      title: 'Transfers',
      section: 'transfers',
      content: html`${tabs(
        'Transfers by state',
        STAGE_NAMES.map((each) => ({
          text: STAGES[each].text,
          href: pathWith(TRANSFERS_PATH, { stage: each, environment }),
          current: each === stage,
          count: counts[each] ?? 0,
        })),
      )}
${filterForm(TRANSFERS_PATH, [environmentFilter(environment)], { stage })}
${table(
  `Orders, ${text.toLowerCase()}`,
  ['Domain', 'Order', ...(stage === 'to_push' ? [] : TRANSFER), PRICE, 'Partner', 'Since', ACTIONS],
  orders.map((order) => [
    domainCell(order),
    statusBadge(order.status),
    ...(stage === 'to_push' ? [] : transferCells(order)),
    money(order.price),
    partnerCell(order),
    timestamp(order.transferUpdatedAt ?? order.updatedAt, context.now),
    orderLinks(order, here, forms),
  ]),
  empty,
)}
${pager(TRANSFERS_PATH, { stage, environment, cursor: next }, 'Later orders', cursor === null)}`,
    };
  },
});

/** Every order, newest first. */
export const ordersPage = consolePage({
  path: '/orders',
  input: Type.Object({
    status: Type.Optional(Type.Enum([...ORDER_STATUSES])),
    environment: EnvironmentFilter,
    partner: Type.Optional(IdField),
    cursor: CursorField,
  }),
  async show(context, query) {
    const { status = null, environment = null, partner = null, cursor = null } = query;
    const wanted = { status, environment, partnerId: partner, domain: null, before: cursor };
    const { rows: orders, next } = await listAllOrders(context, { ...wanted, limit: PAGE_SIZE });
    return {
      title: 'Orders',
      section: 'orders',
      content: html`${filterForm(
        '/ops/orders',
        [statusFilter(ORDER_STATUSES, status), environmentFilter(environment)],
        { partner },
      )}
${partner && html`<p>Only orders of the partner <a class="id" href="${partnerPath(partner)}">${partner}</a>. <a href="${pathWith('/ops/orders', { status, environment })}">Show all</a></p>`}
${ordersTable(orders, context)}
${pager('/ops/orders', { status, environment, partner, cursor: next }, 'Earlier orders', cursor === null)}`,
    };
  },
});

function ordersTable(orders: readonly WorklistOrder[], { now }: PageContext): Markup {
  return table(
    'Orders',
    ['Domain', 'Status', 'Transfer', PRICE, 'Paid by', 'Partner', 'Recorded'],
    orders.map((order) => [
      domainCell(order),
      statusBadge(order.status),
      order.transferStatus ? statusBadge(order.transferStatus) : '–',
      money(order.price),
      humanize(order.paymentModel),
      partnerCell(order),
      timestamp(order.createdAt, now),
    ]),
    'No orders match. Change the filter.',
  );
}

const PRICE = numberColumn('Price');
const TRANSFER = ['Transfer', 'Attempts'];

function domainCell(order: WorklistOrder): Markup {
  return html`${link(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`;
}

function partnerCell(order: WorklistOrder): Markup {
  return link(partnerPath(order.partnerId), order.partnerName);
}

function transferCells(order: WorklistOrder): unknown[] {
  return [
    html`${order.transferStatus && statusBadge(order.transferStatus)}${
      order.transferReason && html`<span class="sub">${humanize(order.transferReason)}</span>`
    }${order.cancellation && html`<span class="sub">${REFUND_WAITS[order.cancellation]}</span>`}`,
    order.transferAttempts ?? 0,
  ];
}

type OrderFormName = keyof typeof ORDER_FORMS;

/** Buttons for those of `forms` that the order's state allows. */
function orderLinks(order: WorklistOrder, back: string, forms: readonly OrderFormName[]): Markup[] {
  const { status, transferStatus, cancellation } = order;
  const transfer = transferStatus && { status: transferStatus, cancellation };
  const link = { given: { order: order.id }, about: order.domain, back };
  return offeredLinks(ORDER_FORMS, { status, transfer }, link, forms);
}
