import { Type } from 'typebox';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import type { ListSort } from '../../../../shared/platform/page.ts';
import { ORDER_STATUSES } from '../../../../shared/sales/orders/order.ts';
import {
  countOrdersByStage,
  listAllOrders,
  listOrdersInStage,
  STAGE_COUNT_UP_TO,
  type WorklistOrder,
  type WorklistStage,
} from '../../../../shared/sales/transfers/order-worklist.ts';
import { statusFilter } from '../../../pages/kit/form.ts';
import { emailText, humanize, money, pathWith, timestamp } from '../../../pages/kit/format.ts';
import { domainLink, link, tabs } from '../../../pages/kit/page-parts.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn } from '../../../pages/kit/table.ts';
import { offeredLinks } from '../action-links.ts';
import {
  EnvironmentFilter,
  environmentFilter,
  IdField,
  type PageContext,
} from '../console-page.ts';
import { CHECKOUT_REVIEWS_PATH, orderPath, partnerPath, TRANSFERS_PATH } from '../console-paths.ts';
import { ORDER_FORMS, REFUND_WAITS } from '../forms/order-forms.ts';
import { type ListColumn, listInOwnTime } from '../list-page.ts';

type OrderColumn = ListColumn<WorklistOrder, ListSort>;

const DOMAIN: OrderColumn = {
  title: 'Domain',
  cell: (order) =>
    html`${domainLink(orderPath(order.id), order.domain)} ${environmentTag(order.environment)}`,
};
const ORDER_STATUS: OrderColumn = {
  title: 'Order',
  cell: ({ status, actionRequired }) =>
    html`${statusBadge(status)}${
      actionRequired && html`<span class="sub">${humanize(actionRequired)}</span>`
    }`,
};
const PRICE: OrderColumn = { ...numberColumn('Price'), cell: ({ price }) => money(price) };
const PARTNER: OrderColumn = {
  title: 'Partner',
  cell: (order) => link(partnerPath(order.partnerId), order.partnerName),
};
const RECORDED: OrderColumn = {
  title: 'Recorded',
  cell: ({ createdAt }, { now }) => timestamp(createdAt, now),
  sorts: { ascending: 'oldest', descending: 'newest' },
};
const TRANSFER: readonly OrderColumn[] = [
  {
    title: 'Transfer',
    cell: ({ transferStatus, transferReason, cancellation }) =>
      html`${transferStatus && statusBadge(transferStatus)}${
        transferReason && html`<span class="sub">${humanize(transferReason)}</span>`
      }${cancellation && html`<span class="sub">${REFUND_WAITS[cancellation]}</span>`}`,
  },
  { title: 'Attempts', cell: ({ transferAttempts }) => transferAttempts ?? 0 },
];

/** The columns of every CSV file of orders. */
const ORDER_CSV = {
  id: ({ id }: WorklistOrder) => id,
  domain: ({ domain }: WorklistOrder) => domain,
  environment: ({ environment }: WorklistOrder) => environment,
  status: ({ status }: WorklistOrder) => status,
  action_required: ({ actionRequired }: WorklistOrder) => actionRequired,
  payment_model: ({ paymentModel }: WorklistOrder) => paymentModel,
  price_cents: ({ price }: WorklistOrder) => price.amount,
  currency: ({ price }: WorklistOrder) => price.currency,
  buyer_email: ({ buyerEmail }: WorklistOrder) => buyerEmail,
  partner_id: ({ partnerId }: WorklistOrder) => partnerId,
  created_at: ({ createdAt }: WorklistOrder) => createdAt.toISOString(),
};

/** Returns the tabs of the two review lists: paid orders, and purchases that are not paid yet. */
export function reviewTabs(current: 'orders' | 'checkouts', environment?: string): Markup {
  return tabs('What is in review', [
    {
      text: 'Orders',
      href: pathWith('/ops/review', { environment }),
      current: current === 'orders',
    },
    {
      text: 'Before payment',
      href: pathWith(CHECKOUT_REVIEWS_PATH, { environment }),
      current: current === 'checkouts',
    },
  ]);
}

/** Orders that wait for a decision. */
export const reviewPage = listInOwnTime({
  path: '/review',
  title: 'Orders in review',
  section: 'review',
  filters: { environment: EnvironmentFilter },
  sorts: ['oldest', 'newest'],
  read: (context, { environment = null }, page) =>
    listOrdersInStage(context, 'review', { ...page, environment }),
  form: ({ environment = null }) => ({ fields: [environmentFilter(environment)] }),
  dates: 'Recorded',
  intro: ({ environment }) => html`${reviewTabs('orders', environment)}
<p>Held by a review rule. The price is paid.</p>`,
  caption: 'Orders in review',
  columns: (_filters, here) => [
    DOMAIN,
    { title: 'Held for', cell: ({ reviewReasons }) => reviewReasons.map(humanize).join(', ') },
    PRICE,
    {
      title: 'Buyer',
      cell: ({ buyerEmail, buyerCountry }) =>
        html`${emailText(buyerEmail)}${buyerCountry && html`<span class="sub">${buyerCountry}</span>`}`,
    },
    PARTNER,
    RECORDED,
    {
      ...ACTIONS,
      cell: (order, context) => orderLinks(context, order, here, ['order-clear', 'order-cancel']),
    },
  ],
  empty: 'No orders to review.',
  more: 'Next orders',
  csv: {
    ...ORDER_CSV,
    held_for: ({ reviewReasons }) => reviewReasons.join(' '),
    buyer_country: ({ buyerCountry }) => buyerCountry,
  },
});

/** Formats a count that is capped at a limit. */
const upTo = (limit: number, count: number) =>
  count < limit ? count : `${limit.toLocaleString('en-US')}+`;

type TransferStage = Exclude<WorklistStage, 'review'>;

/** The lists of the page: their tab, the text of an empty list, and the actions on its orders. */
const STAGES: Readonly<
  Record<TransferStage, { text: string; empty: string; forms: readonly OrderFormName[] }>
> = {
  awaiting_registrant: {
    text: 'Need a registrant',
    empty: 'No orders wait for a registrant.',
    forms: [],
  },
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

/** Orders in delivery, by stage. */
export const transfersPage = listInOwnTime({
  path: '/transfers',
  title: 'Transfers',
  section: 'transfers',
  filters: {
    stage: Type.Enum(STAGE_NAMES, { default: 'to_push' }),
    environment: EnvironmentFilter,
  },
  sorts: ['oldest', 'newest'],
  read: (context, { stage, environment = null }, page) =>
    listOrdersInStage(context, stage, { ...page, environment }),
  async above({ stage, environment = null }, context) {
    const counts = await countOrdersByStage(context, environment);
    return tabs(
      'Transfers by state',
      STAGE_NAMES.map((each) => ({
        text: STAGES[each].text,
        href: pathWith(TRANSFERS_PATH, { stage: each, environment }),
        current: each === stage,
        count: upTo(STAGE_COUNT_UP_TO, counts[each]),
      })),
    );
  },
  form: ({ stage, environment = null }) => ({
    fields: [environmentFilter(environment)],
    hidden: { stage },
  }),
  dates: 'Recorded',
  caption: ({ stage }) => `Orders, ${STAGES[stage].text.toLowerCase()}`,
  columns: ({ stage }, here) => [
    DOMAIN,
    ORDER_STATUS,
    ...(stage === 'to_push' || stage === 'awaiting_registrant' ? [] : TRANSFER),
    PRICE,
    PARTNER,
    RECORDED,
    {
      title: 'Since',
      cell: ({ transferUpdatedAt, updatedAt }, { now }) =>
        timestamp(transferUpdatedAt ?? updatedAt, now),
    },
    { ...ACTIONS, cell: (order, context) => orderLinks(context, order, here, STAGES[stage].forms) },
  ],
  empty: ({ stage }) => STAGES[stage].empty,
  more: 'Next orders',
  csv: {
    ...ORDER_CSV,
    transfer_status: ({ transferStatus }) => transferStatus,
    transfer_reason: ({ transferReason }) => transferReason,
    transfer_attempts: ({ transferAttempts }) => transferAttempts,
  },
});

/** Every order, newest first. */
export const ordersPage = listInOwnTime({
  path: '/orders',
  title: 'Orders',
  section: 'orders',
  filters: {
    status: Type.Optional(Type.Enum([...ORDER_STATUSES])),
    environment: EnvironmentFilter,
    partner: Type.Optional(IdField),
  },
  sorts: ['newest', 'oldest'],
  read: (context, { status = null, environment = null, partner = null }, page) =>
    listAllOrders(context, { status, environment, partnerId: partner }, page),
  form: ({ status = null, environment = null, partner = null }) => ({
    fields: [statusFilter(ORDER_STATUSES, status), environmentFilter(environment)],
    hidden: { partner },
  }),
  dates: 'Recorded',
  intro: ({ partner, status, environment }) =>
    partner !== undefined &&
    html`Only orders from the partner <a class="id" href="${partnerPath(partner)}">${partner}</a>. <a href="${pathWith('/ops/orders', { status, environment })}">Show all</a>`,
  caption: 'Orders',
  columns: () => [
    DOMAIN,
    ORDER_STATUS,
    {
      title: 'Transfer',
      cell: ({ transferStatus }) => (transferStatus ? statusBadge(transferStatus) : '–'),
    },
    PRICE,
    { title: 'Paid by', cell: ({ paymentModel }) => humanize(paymentModel) },
    PARTNER,
    RECORDED,
  ],
  empty: 'No orders match. Change the filter.',
  more: 'More orders',
  csv: { ...ORDER_CSV, transfer_status: ({ transferStatus }) => transferStatus },
});

type OrderFormName = keyof typeof ORDER_FORMS;

/** Returns buttons for those of `forms` that the order's state allows. */
function orderLinks(
  context: PageContext,
  order: WorklistOrder,
  back: string,
  forms: readonly OrderFormName[],
): Markup[] {
  const { status, actionRequired, transferStatus, cancellation } = order;
  const transfer = transferStatus && { status: transferStatus, cancellation };
  const link = { given: { order: order.id }, about: order.domain, back };
  return offeredLinks(context, ORDER_FORMS, { status, actionRequired, transfer }, link, forms);
}
