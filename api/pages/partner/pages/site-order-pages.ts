import { Type } from 'typebox';
import { parseMarketDomain, unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { html } from '../../../../shared/platform/html.ts';
import { ORDER_STATUSES } from '../../../../shared/sales/orders/order.ts';
import { getOrderDetail, listOrders } from '../../../../shared/sales/orders/read-orders.ts';
import { deliverySteps } from '../../../../shared/sales/transfers/delivery-steps.ts';
import { findFailedTransfers } from '../../../../shared/sales/transfers/failed-transfers.ts';
import type { TransferStatus } from '../../../../shared/sales/transfers/transfer.ts';
import { inputFilter, statusFilter } from '../../kit/form.ts';
import { emailText, humanize, money, percent, timestamp } from '../../kit/format.ts';
import { orderDelivery } from '../../kit/order-delivery.ts';
import {
  asciiFact,
  descriptionList,
  documentLinks,
  domainLink,
  link,
  section,
} from '../../kit/page-parts.ts';
import { orderBadge, statusBadge } from '../../kit/status-badge.ts';
import { numberColumn, table } from '../../kit/table.ts';
import { siteList, sitePage, TIME_CURSOR } from '../site-page.ts';

/** The partner's orders. */
export const ordersPage = siteList({
  path: '/orders',
  time: 'own',
  title: 'Orders',
  section: 'orders',
  filters: {
    status: Type.Optional(Type.Enum([...ORDER_STATUSES])),
    domain: Type.Optional(Type.String({ maxLength: 253 })),
  },
  sorts: ['newest'],
  async read(context, { status, domain }, { from, to, after, limit }) {
    const { rows, next } = await listOrders(context, context.owner, {
      statuses: status === undefined ? null : [status],
      domain: domain === undefined ? null : parseMarketDomain(domain).ascii,
      from,
      to,
      before: after,
      limit,
    });
    const underWay = rows.filter((order) => order.status === 'TRANSFER_IN_PROGRESS');
    const failed = await findFailedTransfers(
      context,
      context.owner,
      underWay.map(({ id }) => id),
    );
    return { rows: rows.map((order) => ({ ...order, failed: failed.has(order.id) })), next };
  },
  cursor: TIME_CURSOR,
  form: ({ status = null, domain = null }) => ({
    fields: [inputFilter('domain', 'Domain', domain, 253), statusFilter(ORDER_STATUSES, status)],
  }),
  dates: 'Recorded',
  caption: 'Orders, newest first',
  columns: (_filters, _here, { base }) => [
    { title: 'Domain', cell: ({ id, domain }) => domainLink(`${base}/orders/${id}`, domain) },
    {
      title: 'Status',
      cell: ({ status, failed, actionRequired }) =>
        html`${orderBadge(status, failed)}${
          actionRequired && html`<span class="sub">${humanize(actionRequired)}</span>`
        }`,
    },
    { ...numberColumn('Price'), cell: ({ price }) => money(price) },
    { ...numberColumn('Commission'), cell: ({ commission }) => money(commission) },
    { title: 'Buyer', cell: ({ buyerEmail }) => emailText(buyerEmail) },
    { title: 'Paid by', cell: ({ paymentModel }) => humanize(paymentModel) },
    { title: 'Recorded', cell: ({ createdAt }, { now }) => timestamp(createdAt, now) },
  ],
  empty:
    'No orders match. Sales that you record with POST /v1/orders, and those of your checkout pages, appear here.',
  more: 'Earlier orders',
  csv: {
    id: ({ id }) => id,
    domain: ({ domain }) => domain,
    status: ({ status }) => status,
    action_required: ({ actionRequired }) => actionRequired,
    transfer_failed: ({ failed }) => String(failed),
    payment_model: ({ paymentModel }) => paymentModel,
    sale_price_cents: ({ price }) => price.amount,
    commission_cents: ({ commission }) => commission.amount,
    amount_owed_cents: ({ amountOwed }) => amountOwed.amount,
    currency: ({ price }) => price.currency,
    buyer_email: ({ buyerEmail }) => buyerEmail,
    external_payment_ref: ({ externalPaymentRef }) => externalPaymentRef,
    created_at: ({ createdAt }) => createdAt.toISOString(),
  },
});

/** One order with its timeline and documents. */
export const orderPage = sitePage({
  path: '/orders/:order',
  time: 'own',
  input: Type.Object({ order: Type.String({ maxLength: 64 }) }),
  async show(context, { order: id }) {
    const { owner, base, now } = context;
    const detail = await getOrderDetail(context, owner, id);
    const { order, timeline, transfer, delivery, refund, documents } = detail;
    return {
      title: unicodeOf(order.domain),
      section: 'orders',
      content: html`${descriptionList([
        ['Status', orderBadge(order.status, transfer?.status === 'failed')],
        asciiFact(order.domain),
        ['Waiting for', order.actionRequired && humanize(order.actionRequired)],
        ['Price', money(order.price)],
        [
          'Your commission',
          html`${money(order.commission)} <span class="age">${percent(order.commissionBps)}</span>`,
        ],
        ['You owe us', money(order.amountOwed)],
        ['Paid by', humanize(order.paymentModel)],
        ['Buyer', order.buyerName && html`<bdi>${order.buyerName}</bdi>`],
        ['Buyer’s email address', order.buyerEmail],
        ['Country', order.buyerCountry],
        ['Payment reference', order.externalPaymentRef],
        ['Recorded', timestamp(order.createdAt, now)],
        ['Delivered', order.transferCompletedAt && timestamp(order.transferCompletedAt, now)],
        [
          'Settlement',
          order.settlementId && link(`${base}/settlements/${order.settlementId}`, 'Statement'),
        ],
        ['Checkout session', order.checkoutSessionId],
        [
          'Brokerage case',
          order.brokerageCaseId && link(`${base}/brokerage/${order.brokerageCaseId}`, 'Case'),
        ],
        [
          'Documents',
          documentLinks(documents, (_kind, document) => `${base}/documents/${document}`),
        ],
        ['Order', html`<span class="id">${order.id}</span>`],
      ])}
${section(
  'Timeline',
  table(
    'Timeline',
    ['When', 'What', 'Status', 'Note'],
    timeline.map((entry) => [
      timestamp(entry.at, now),
      html`<code>${entry.event}</code>`,
      statusBadge(entry.status),
      entry.note && humanize(entry.note),
    ]),
    'No events yet.',
  ),
)}
${
  transfer &&
  section(
    'Transfer',
    descriptionList([
      ['Status', statusBadge(transfer.status as TransferStatus)],
      ['Method', humanize(transfer.method)],
      ['Registrar', transfer.registrar],
      ['Attempts', transfer.attempts],
      ['Reason', transfer.reason && humanize(transfer.reason)],
      ['Changed', timestamp(transfer.updatedAt, now)],
    ]),
  )
}
${orderDelivery({ delivery, steps: deliverySteps(context.config, detail, 'partner'), reader: 'partner' }, now)}
${
  refund &&
  section(
    'Refund',
    descriptionList([
      ['Status', humanize(refund.status)],
      ['Reason', humanize(refund.reason)],
      ['Requested', timestamp(refund.createdAt, now)],
      ['Completed', refund.completedAt && timestamp(refund.completedAt, now)],
    ]),
  )
}`,
    };
  },
});
