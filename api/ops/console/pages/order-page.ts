import { Type } from 'typebox';
import { unicodeOf } from '../../../../shared/market/names/domain-name.ts';
import { type Dispute, evidenceUrl } from '../../../../shared/money/payments/dispute.ts';
import { listOrderDisputes } from '../../../../shared/money/payments/record-dispute.ts';
import {
  type OrderHistory,
  readOrderHistory,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { addMs, MINUTE } from '../../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { Money } from '../../../../shared/platform/money.ts';
import type { Order } from '../../../../shared/sales/orders/order.ts';
import { getOrderDetailById } from '../../../../shared/sales/orders/read-orders.ts';
import {
  type DeliveryStep,
  deliverySteps,
} from '../../../../shared/sales/transfers/delivery-steps.ts';
import {
  isDeliveredByHand,
  MANUAL_CHECK_NAMES,
  MANUAL_CHECKS,
} from '../../../../shared/sales/transfers/manual-checks.ts';
import type { TransferStatus } from '../../../../shared/sales/transfers/transfer.ts';
import { humanize, money, percent, timestamp } from '../../../pages/kit/format.ts';
import { icon } from '../../../pages/kit/icon.ts';
import { orderDelivery } from '../../../pages/kit/order-delivery.ts';
import {
  asciiFact,
  descriptionList,
  documentLinks,
  link,
  section,
} from '../../../pages/kit/page-parts.ts';
import type { PageNow } from '../../../pages/kit/page-time.ts';
import { environmentTag, statusBadge } from '../../../pages/kit/status-badge.ts';
import { ACTIONS, numberColumn, table } from '../../../pages/kit/table.ts';
import { actionLink, actionRow, offeredLinks } from '../action-links.ts';
import { changeList } from '../change-list.ts';
import { clockOf, consolePage, IdField, type PageContext, requireId } from '../console-page.ts';
import {
  auditPath,
  casePath,
  documentPath,
  endpointPath,
  endpointsPath,
  orderPath,
  partnerPath,
  REPAYMENTS_PATH,
  settlementPath,
} from '../console-paths.ts';
import { LISTING_FORMS, ORDER_FORMS, type OrderState, REFUND_WAITS } from '../forms/order-forms.ts';

type Detail = Awaited<ReturnType<typeof getOrderDetailById>>;

/** One order with its history and its possible actions. */
export const orderPage = consolePage({
  path: '/orders/:order',
  input: Type.Object({ order: IdField }),
  async show(context, { order: id }) {
    requireId('order', id, 'No order has this ID.');
    const detail = await getOrderDetailById(context, id);
    const moments = [detail.order.createdAt, ...detail.timeline.map(({ at }) => at)];
    // The timeline includes every dispute, and few orders have one.
    const disputed = detail.timeline.some(({ event }) => event === 'order.disputed');
    const disputes = disputed ? await listOrderDisputes(context, id) : [];
    const history = await readOrderHistory(context, id, moments);
    // The ledger, deliveries and staff actions use real time.
    const real = context.now;
    const { now, testMode } = await clockOf(context, detail.order);
    const inRealTime =
      now > addMs(real, MINUTE) ? 'By real time, not the sandbox clock.' : undefined;
    return {
      testMode,
      title: unicodeOf(detail.order.domain),
      section: 'orders',
      content: html`${actionRow(links(context, detail, history.listing))}
${summary(detail, now)}
${section('Timeline', timelineTable(detail, now))}
${detail.transfer && section('Transfer', transferFacts(detail, now))}
${orderDelivery({ delivery: detail.delivery, steps: deliverySteps(context.config, detail, 'staff'), reader: 'staff', registrant: history.registrant, extra: checklist(context, detail) }, now)}
${history.refund && section('Refund', refundFacts(history.refund, now))}
${disputes.length > 0 && section('Disputes', disputesTable(disputes, real), inRealTime)}
${section('Ledger', ledgerTable(history, real), inRealTime)}
${section('Webhook deliveries', deliveriesTable(context, history, detail.order), inRealTime)}
${section('Audit trail', auditTable(history, real), inRealTime)}
<p><a href="${auditPath(id)}">Full audit trail of this order</a></p>`,
    };
  },
});

/** Returns buttons for the actions that the states allow now. */
function links(context: PageContext, detail: Detail, listing: OrderHistory['listing']): Markup[] {
  const { order, transfer } = detail;
  const state: OrderState = {
    status: order.status,
    actionRequired: order.actionRequired,
    transfer: transfer && {
      status: transfer.status as TransferStatus,
      cancellation: transfer.cancellation,
    },
    delivery: detail.delivery,
    byHand: isDeliveredByHand(context.config, order),
    listing: listing?.status,
  };
  const { environment, domain } = order;
  return [
    ...offeredLinks(context, ORDER_FORMS, state, { given: { order: order.id } }),
    ...offeredLinks(context, LISTING_FORMS, state, { given: { environment, domain } }),
  ];
}

/** Shows the manual tasks of a delivery by hand, below their step: who ticked each one, and when. */
function checklist(
  context: PageContext,
  { order, checks: ticked }: Detail,
): (step: DeliveryStep) => Markup | false {
  if (!isDeliveredByHand(context.config, order) && ticked.length === 0) return () => false;
  return ({ name: step }) => {
    const checks = MANUAL_CHECK_NAMES.filter((name) => MANUAL_CHECKS[name].step === step);
    if (checks.length === 0) return false;
    return html`<ul class="checks">${checks.map((name) => {
      const tick = ticked.find((each) => each.name === name);
      return html`<li class="${tick ? 'done' : 'later'}">${icon(tick ? 'circle-check' : 'circle-dot')}<div>${MANUAL_CHECKS[name].text}<span class="unseen">: ${tick ? 'done' : 'not done'}</span>${
        tick && html` <span class="age">${tick.by}, ${timestamp(tick.at, context.now)}</span>`
      }</div></li>`;
    })}</ul>`;
  };
}

function summary({ order, partnerName, documents }: Detail, now: PageNow): Markup {
  return descriptionList([
    ['Status', statusBadge(order.status)],
    asciiFact(order.domain),
    ['Environment', environmentTag(order.environment)],
    ['Price', money(order.price)],
    [
      'Commission',
      html`${money(order.commission)} <span class="age">${percent(order.commissionBps)}</span>`,
    ],
    ['Owed to us', money(order.amountOwed)],
    ['Paid by', humanize(order.paymentModel)],
    ['Waiting for', order.actionRequired && humanize(order.actionRequired)],
    [
      order.status === 'MANUAL_REVIEW' ? 'Held for' : 'Was held for',
      order.reviewReasons.map(humanize).join(', '),
    ],
    ['Partner', link(partnerPath(order.partnerId), partnerName)],
    ['Buyer', order.buyerName && html`<bdi>${order.buyerName}</bdi>`],
    ['Buyer’s email address', order.buyerEmail],
    ['Country', order.buyerCountry],
    ['Recorded', timestamp(order.createdAt, now)],
    ['Delivered', order.transferCompletedAt && timestamp(order.transferCompletedAt, now)],
    ['Settlement', order.settlementId && link(settlementPath(order.settlementId), 'Statement')],
    ['Brokerage case', order.brokerageCaseId && link(casePath(order.brokerageCaseId), 'Case')],
    ['Checkout session', order.checkoutSessionId],
    ['Payment reference', order.externalPaymentRef],
    ['Documents', documentLinks(documents, (_kind, id) => documentPath(id))],
    ['Order', html`<span class="id">${order.id}</span>`],
  ]);
}

function timelineTable({ timeline }: Detail, now: PageNow): Markup {
  return table(
    'Timeline',
    ['When', 'What', 'Status', 'Note'],
    timeline.map((entry) => [
      timestamp(entry.at, now),
      html`<code>${entry.event}</code>`,
      statusBadge(entry.status),
      entry.note && humanize(entry.note),
    ]),
    'No events yet.',
  );
}

function disputesTable(disputes: readonly Dispute[], now: PageNow): Markup {
  return table(
    'Disputes',
    ['Opened', 'Status', 'Reason', numberColumn('Amount'), 'Evidence until', 'Closed', 'Evidence'],
    disputes.map((dispute) => [
      timestamp(dispute.openedAt, now),
      statusBadge(dispute.status),
      humanize(dispute.reason),
      money(dispute.amount),
      dispute.evidenceDueAt && timestamp(dispute.evidenceDueAt, now),
      dispute.closedAt && timestamp(dispute.closedAt, now),
      link(evidenceUrl(dispute), dispute.closedAt ? 'At Stripe' : 'Send evidence'),
    ]),
    '',
  );
}

function transferFacts({ transfer }: Detail, now: PageNow): Markup {
  if (!transfer) return html``;
  return descriptionList([
    ['Status', statusBadge(transfer.status as TransferStatus)],
    ['Method', humanize(transfer.method)],
    ['Registrar', transfer.registrar],
    ['Attempts', transfer.attempts],
    ['Reason', transfer.reason && humanize(transfer.reason)],
    ['Refund', transfer.cancellation && REFUND_WAITS[transfer.cancellation]],
    ['Changed', timestamp(transfer.updatedAt, now)],
    ['Transfer', html`<span class="id">${transfer.id}</span>`],
  ]);
}

function refundFacts(refund: NonNullable<OrderHistory['refund']>, now: PageNow): Markup {
  return descriptionList([
    ['Kind', humanize(refund.kind)],
    ['Amount', money(new Money(refund.amountCents, refund.currency))],
    ['Reason', humanize(refund.reason)],
    ['Note', refund.note],
    ['Paid back by hand', refund.byHand && paidBackByHand(refund.byHand)],
    ['Requested by', refund.requestedBy],
    ['When', timestamp(refund.at, now)],
    ['Refund', html`<span class="id">${refund.id}</span>`],
  ]);
}

function paidBackByHand({
  status,
  reference,
}: NonNullable<NonNullable<OrderHistory['refund']>['byHand']>): Markup {
  return status === 'paid'
    ? html`Paid: ${reference}`
    : html`Owed: ${link(REPAYMENTS_PATH, 'buyers to pay back')}`;
}

function ledgerTable({ ledger }: OrderHistory, now: PageNow): Markup {
  return table(
    'Ledger entries',
    ['Entry', 'Account', numberColumn('Debit'), numberColumn('Credit'), 'When'],
    ledger.flatMap((entry) =>
      entry.postings.map(({ account, amountCents, currency }, at) => [
        humanize(entry.kind),
        humanize(account),
        amountCents > 0 ? money(new Money(amountCents, currency)) : '',
        amountCents < 0 ? money(new Money(-amountCents, currency)) : '',
        at === 0 ? timestamp(entry.at, now) : '',
      ]),
    ),
    'No ledger entries.',
  );
}

function deliveriesTable(context: PageContext, { deliveries }: OrderHistory, order: Order): Markup {
  return html`${table(
    'Webhook deliveries',
    ['Event', 'Endpoint', 'State', numberColumn('Attempts'), 'When', ACTIONS],
    deliveries.map((delivery) => [
      html`<code>${delivery.eventType}</code>`,
      link(endpointPath(delivery.endpointId), delivery.endpointName),
      statusBadge(delivery.state),
      delivery.attempts,
      timestamp(delivery.at, context.now),
      actionLink(context, {
        form: 'webhook-resend',
        about: delivery.eventType,
        given: { delivery: delivery.id },
        back: orderPath(order.id),
      }),
    ]),
    'Nothing was sent. The partner had no endpoint at the time.',
  )}
<p>${link(endpointsPath(order), 'Endpoints and delivery log')}</p>`;
}

function auditTable({ audit }: OrderHistory, now: PageNow): Markup {
  return table(
    'Audit trail',
    ['What', 'Who', 'Change', 'When'],
    audit.map((entry) => [
      html`<code>${entry.action}</code>`,
      entry.who,
      changeList(entry.before, entry.after),
      timestamp(entry.at, now),
    ]),
    'No operator has changed this order.',
  );
}
