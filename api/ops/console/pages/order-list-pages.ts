import { Type } from 'typebox';
import {
  countOrdersByStage,
  listAllOrders,
  listOrdersInStage,
  type WorklistOrder,
  type WorklistStage,
} from '../../../../shared/operations/order-worklist/order-worklist.ts';
import { ORDER_STATUSES } from '../../../../shared/sales/orders/order.ts';
import {
  type ActionLink,
  actionLink,
  type Column,
  pager,
  table,
  tabs,
} from '../../../pages/kit/components.ts';
import { environmentFilter, filterForm, selectFilter } from '../../../pages/kit/form.ts';
import {
  badge,
  environmentTag,
  humanize,
  link,
  money,
  orderPath,
  partnerPath,
  pathWith,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html, type Markup } from '../../../pages/kit/html.ts';
import {
  CursorField,
  consolePage,
  EnvironmentFilter,
  IdField,
  PAGE_SIZE,
  type PageContext,
} from '../console-page.ts';

/** Orders that wait for a decision. */
export const reviewPage = consolePage({
  path: '/review',
  input: Type.Object({ environment: EnvironmentFilter, cursor: CursorField }),
  async show(context, { environment = null, cursor = null }) {
    const page = { environment, after: cursor, limit: PAGE_SIZE };
    const { orders, next } = await listOrdersInStage(context, 'review', page);
    const back = pathWith('/ops/review', { environment });
    return {
      title: 'Orders in review',
      section: 'review',
      content: html`<p class="intro">A review rule held these. The oldest comes first.</p>
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
    [
      actionLink(orderActionLink(order, 'order-clear', 'Clear', back)),
      actionLink({ ...orderActionLink(order, 'order-cancel', 'Cancel', back), tone: 'danger' }),
    ],
  ]),
  'No order waits for a review.',
)}
${pager('/ops/review', { environment, cursor: next }, 'Later orders', cursor === null)}`,
    };
  },
});

const STAGES: readonly { stage: Exclude<WorklistStage, 'review'>; text: string; empty: string }[] =
  [
    { stage: 'to_push', text: 'To push', empty: 'No order waits for its push.' },
    { stage: 'under_way', text: 'Under way', empty: 'No push is under way.' },
    { stage: 'action_required', text: 'Need action', empty: 'No transfer needs action.' },
    { stage: 'failed', text: 'Failed', empty: 'No transfer has failed.' },
    { stage: 'to_confirm', text: 'To confirm', empty: 'No delivery waits to be confirmed.' },
    {
      stage: 'refund_to_decide',
      text: 'Refunds to decide',
      empty: 'No refund waits for a decision.',
    },
  ];

/** Orders on their way to the buyer, by where they stand. */
export const transfersPage = consolePage({
  path: '/pushes',
  input: Type.Object({
    stage: Type.Enum(
      STAGES.map(({ stage }) => stage),
      { default: 'to_push' },
    ),
    environment: EnvironmentFilter,
    cursor: CursorField,
  }),
  async show(context, { stage, environment = null, cursor = null }) {
    const page = { environment, after: cursor, limit: PAGE_SIZE };
    const [{ orders, next }, counts] = await Promise.all([
      listOrdersInStage(context, stage, page),
      countOrdersByStage(context, environment),
    ]);
    const here = pathWith('/ops/pushes', { stage, environment });
    const chosen = STAGES.find((each) => each.stage === stage);
    return {
      title: 'Pushes',
      section: 'pushes',
      content: html`${tabs(
        'Pushes by state',
        STAGES.map((each) => ({
          text: each.text,
          href: pathWith('/ops/pushes', { stage: each.stage, environment }),
          current: each.stage === stage,
          count: counts[each.stage] ?? 0,
        })),
      )}
${filterForm('/ops/pushes', [environmentFilter(environment)], { stage })}
${table(
  `Orders, ${chosen?.text.toLowerCase()}`,
  ['Domain', 'Order', ...(stage === 'to_push' ? [] : TRANSFER), PRICE, 'Partner', 'Since', ACTIONS],
  orders.map((order) => [
    domainCell(order),
    badge(order.status),
    ...(stage === 'to_push' ? [] : transferCells(order)),
    money(order.price),
    partnerCell(order),
    timestamp(order.transferUpdatedAt ?? order.updatedAt, context.now),
    transferActions(order, stage, here).map(actionLink),
  ]),
  chosen?.empty ?? '',
)}
${pager('/ops/pushes', { stage, environment, cursor: next }, 'Later orders', cursor === null)}`,
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
    const { orders, next } = await listAllOrders(context, { ...wanted, limit: PAGE_SIZE });
    return {
      title: 'Orders',
      section: 'orders',
      content: html`${filterForm(
        '/ops/orders',
        [selectFilter('status', 'Status', ORDER_STATUSES, status), environmentFilter(environment)],
        { partner },
      )}
${partner && html`<p>Of the partner <a class="id" href="${partnerPath(partner)}">${partner}</a> only. <a href="${pathWith('/ops/orders', { status, environment })}">Show all</a></p>`}
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
      badge(order.status),
      order.transferStatus ? badge(order.transferStatus) : '–',
      money(order.price),
      humanize(order.paymentModel),
      partnerCell(order),
      timestamp(order.createdAt, now),
    ]),
    'There is no such order.',
  );
}

const PRICE: Column = { title: 'Price', number: true };
const ACTIONS: Column = { title: 'Actions', quiet: true };
const TRANSFER = ['Transfer', 'Attempts'];

function domainCell(order: WorklistOrder): Markup {
  return html`${link(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`;
}

function partnerCell(order: WorklistOrder): Markup {
  return link(partnerPath(order.partnerId), order.partnerName);
}

/** What a refund waits for. */
const REFUND_STATES = {
  requested: 'Refund: stopping the push',
  too_late: 'Refund: the domain has left',
  unanswered: 'Refund: the registrar did not answer',
} as const;

function transferCells(order: WorklistOrder): unknown[] {
  return [
    html`${order.transferStatus && badge(order.transferStatus)}${
      order.transferReason && html`<span class="sub">${humanize(order.transferReason)}</span>`
    }${order.cancellation && html`<span class="sub">${REFUND_STATES[order.cancellation]}</span>`}`,
    order.transferAttempts ?? 0,
  ];
}

function transferActions(order: WorklistOrder, stage: WorklistStage, back: string): ActionLink[] {
  if (stage === 'to_push') {
    return [{ ...orderActionLink(order, 'order-start-transfer', 'Push', back), tone: 'main' }];
  }
  if (stage === 'refund_to_decide') {
    return [
      { ...orderActionLink(order, 'refund-approve', 'Refund anyway', back), tone: 'danger' },
      orderActionLink(order, 'refund-decline', 'Deliver', back),
    ];
  }
  if (order.cancellation === 'requested') return [];
  const confirm = orderActionLink(order, 'order-confirm-delivery', 'Confirm', back);
  const retry = orderActionLink(order, 'order-retry-transfer', 'Push again', back);
  if (stage === 'failed') return [retry];
  if (stage === 'action_required') return [retry, confirm];
  return [confirm];
}

function orderActionLink(
  order: WorklistOrder,
  form: string,
  text: string,
  back: string,
): ActionLink {
  return { form, text, about: order.domain, given: { order: order.id }, back };
}
