import { Type } from 'typebox';
import {
  countWork,
  listAnyOrders,
  listWork,
  type WorkOrder,
  type WorkStage,
} from '../../../../shared/orders/list-work.ts';
import { ORDER_STATUSES } from '../../../../shared/orders/order-states.ts';
import { html, type Markup } from '../../../pages/html.ts';
import {
  CursorField,
  consolePage,
  EnvironmentFilter,
  IdField,
  PAGE_SIZE,
  type PageContext,
} from '../console-page.ts';
import { environmentFilter, filter, selectFilter } from '../filter.ts';
import {
  badge,
  environmentTag,
  link,
  money,
  orderPath,
  partnerPath,
  pathWith,
  when,
  words,
} from '../format.ts';
import { type ActLink, act, type Column, pager, table, tabs } from '../parts.ts';

/** Orders that wait for a decision. */
export const reviewPage = consolePage({
  path: '/review',
  input: Type.Object({ environment: EnvironmentFilter, cursor: CursorField }),
  async show(context, { environment = null, cursor = null }) {
    const page = { environment, after: cursor, limit: PAGE_SIZE };
    const { orders, next } = await listWork(context, 'review', page);
    const back = pathWith('/ops/review', { environment });
    return {
      title: 'Orders in review',
      section: 'review',
      content: html`<p class="intro">A review rule held these. The oldest comes first.</p>
${filter('/ops/review', [environmentFilter(environment)])}
${table(
  'Orders in review',
  ['Domain', 'Held for', PRICE, 'Buyer', 'Partner', 'Recorded', ACTIONS],
  orders.map((order) => [
    domainCell(order),
    order.reviewReasons.map(words).join(', '),
    money(order.price),
    html`${order.buyerEmail}${order.buyerCountry && html`<span class="sub">${order.buyerCountry}</span>`}`,
    partnerCell(order),
    when(order.createdAt, context.now),
    [
      act(orderAct(order, 'order-clear', 'Clear', back)),
      act({ ...orderAct(order, 'order-cancel', 'Cancel', back), tone: 'danger' }),
    ],
  ]),
  'No order waits for a review.',
)}
${pager('/ops/review', { environment, cursor: next }, 'Later orders', cursor === null)}`,
    };
  },
});

const STAGES: readonly { stage: Exclude<WorkStage, 'review'>; text: string; empty: string }[] = [
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
export const pushesPage = consolePage({
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
      listWork(context, stage, page),
      countWork(context, environment),
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
${filter('/ops/pushes', [environmentFilter(environment)], { stage })}
${table(
  `Orders, ${chosen?.text.toLowerCase()}`,
  ['Domain', 'Order', ...(stage === 'to_push' ? [] : TRANSFER), PRICE, 'Partner', 'Since', ACTIONS],
  orders.map((order) => [
    domainCell(order),
    badge(order.status),
    ...(stage === 'to_push' ? [] : transferCells(order)),
    money(order.price),
    partnerCell(order),
    when(order.transferUpdatedAt ?? order.updatedAt, context.now),
    pushActs(order, stage, here).map(act),
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
    const { orders, next } = await listAnyOrders(context, { ...wanted, limit: PAGE_SIZE });
    return {
      title: 'Orders',
      section: 'orders',
      content: html`${filter(
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

function ordersTable(orders: readonly WorkOrder[], { now }: PageContext): Markup {
  return table(
    'Orders',
    ['Domain', 'Status', 'Transfer', PRICE, 'Paid by', 'Partner', 'Recorded'],
    orders.map((order) => [
      domainCell(order),
      badge(order.status),
      order.transferStatus ? badge(order.transferStatus) : '–',
      money(order.price),
      words(order.paymentModel),
      partnerCell(order),
      when(order.createdAt, now),
    ]),
    'There is no such order.',
  );
}

const PRICE: Column = { title: 'Price', number: true };
const ACTIONS: Column = { title: 'Actions', quiet: true };
const TRANSFER = ['Transfer', 'Attempts'];

function domainCell(order: WorkOrder): Markup {
  return html`${link(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`;
}

function partnerCell(order: WorkOrder): Markup {
  return link(partnerPath(order.partnerId), order.partnerName);
}

/** What a refund waits for. */
const REFUND_WAITS = {
  requested: 'Refund: stopping the push',
  too_late: 'Refund: the domain has left',
  unanswered: 'Refund: the registrar did not answer',
} as const;

function transferCells(order: WorkOrder): unknown[] {
  return [
    html`${order.transferStatus && badge(order.transferStatus)}${
      order.transferReason && html`<span class="sub">${words(order.transferReason)}</span>`
    }${order.cancellation && html`<span class="sub">${REFUND_WAITS[order.cancellation]}</span>`}`,
    order.transferAttempts ?? 0,
  ];
}

function pushActs(order: WorkOrder, stage: WorkStage, back: string): ActLink[] {
  if (stage === 'to_push') {
    return [{ ...orderAct(order, 'order-start-transfer', 'Push', back), tone: 'main' }];
  }
  if (stage === 'refund_to_decide') {
    return [
      { ...orderAct(order, 'refund-approve', 'Refund anyway', back), tone: 'danger' },
      orderAct(order, 'refund-decline', 'Deliver', back),
    ];
  }
  if (order.cancellation === 'requested') return [];
  const confirm = orderAct(order, 'order-confirm-delivery', 'Confirm', back);
  const retry = orderAct(order, 'order-retry-transfer', 'Push again', back);
  if (stage === 'failed') return [retry];
  if (stage === 'action_required') return [retry, confirm];
  return [confirm];
}

function orderAct(order: WorkOrder, form: string, text: string, back: string): ActLink {
  return { form, text, about: order.domain, given: { order: order.id }, back };
}
