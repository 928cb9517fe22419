import { Type } from 'typebox';
import {
  type OrderHistory,
  readOrderHistory,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { Money } from '../../../../shared/platform/money.ts';
import {
  ORDER_MOVES,
  type Order,
  type OrderMoveName,
} from '../../../../shared/sales/orders/order.ts';
import { getOrderDetailById } from '../../../../shared/sales/orders/read-orders.ts';
import {
  canMove,
  type TransferMoveName,
  type TransferStatus,
} from '../../../../shared/sales/transfers/transfer.ts';
import {
  type ActionLink,
  actionLink,
  actionLinks,
  changeList,
  descriptionList,
  section,
  table,
} from '../../../pages/kit/components.ts';
import {
  auditPath,
  badge,
  endpointPath,
  environmentTag,
  humanize,
  link,
  money,
  partnerPath,
  percent,
  settlementPath,
  timestamp,
} from '../../../pages/kit/format.ts';
import { html, type Markup } from '../../../pages/kit/html.ts';
import { consolePage, IdField, requireId } from '../console-page.ts';

type Detail = Awaited<ReturnType<typeof getOrderDetailById>>;

/** One order with all that hangs on it, and what can be done with it now. */
export const orderPage = consolePage({
  path: '/orders/:order',
  input: Type.Object({ order: IdField }),
  async show(context, { order: id }) {
    requireId('order', id, 'No order has this id.');
    const detail = await getOrderDetailById(context, id);
    const moments = [detail.order.createdAt, ...detail.timeline.map(({ at }) => at)];
    const papers = await readOrderHistory(context, id, moments);
    const { now } = context;
    return {
      title: detail.order.domain,
      section: 'orders',
      content: html`${actionLinks(availableActions(detail, papers.listing))}
${summary(detail, now)}
${section('Timeline', timelineTable(detail, now))}
${detail.transfer && section('Transfer', transferFacts(detail, now))}
${papers.refund && section('Refund', refundFacts(papers.refund, now))}
${section('Ledger', ledgerTable(papers, now))}
${section('Webhook deliveries', deliveriesTable(papers, detail.order, now))}
${section('Audit trail', auditTable(papers, now))}
<p><a href="${auditPath(id)}">The whole trail of this order</a></p>`,
    };
  },
});

/** The moves that the states allow now; the tables of the marketplace decide. */
function availableActions(
  { order, transfer }: Detail,
  listing: OrderHistory['listing'],
): ActionLink[] {
  const canOrder = (name: OrderMoveName) =>
    (ORDER_MOVES[name].from as readonly string[]).includes(order.status);
  const canTransfer = (name: TransferMoveName) =>
    transfer !== null && canMove(name, transfer.status as TransferStatus);
  const given = { order: order.id };
  const waits = transfer?.cancellation ?? null;
  const undecided = waits === 'too_late' || waits === 'unanswered';
  const all: (ActionLink & { when: boolean })[] = [
    { form: 'order-clear', text: 'Clear', given, tone: 'main', when: canOrder('clear') },
    {
      form: 'order-start-transfer',
      text: 'Push',
      given,
      tone: 'main',
      when: canOrder('start_transfer'),
    },
    {
      form: 'order-confirm-delivery',
      text: 'Confirm delivery',
      given,
      tone: 'main',
      when: canOrder('confirm_delivery') && canTransfer('complete') && waits === null,
    },
    {
      form: 'order-retry-transfer',
      text: 'Push again',
      given,
      when: canTransfer('retry') && waits === null,
    },
    { form: 'order-cancel', text: 'Cancel', given, tone: 'danger', when: canOrder('cancel') },
    {
      form: 'order-refund',
      text: canOrder('claw_back') ? 'Claw back' : 'Refund',
      given,
      tone: 'danger',
      when:
        canOrder('claw_back') ||
        (canOrder('refund') && waits === null && transfer?.status !== 'awaiting_confirmation'),
    },
    {
      form: 'refund-approve',
      text: 'Refund anyway',
      given,
      tone: 'danger',
      when: undecided,
    },
    { form: 'refund-decline', text: 'Deliver after all', given, when: undecided },
    {
      form: 'listing-relist',
      text: 'Relist the domain',
      given: { environment: order.environment, domain: order.domain },
      when:
        listing?.status === 'sold' && (order.status === 'REFUNDED' || order.status === 'CANCELLED'),
    },
  ];
  return all.filter((each) => each.when).map(({ when: _, ...each }) => each);
}

function summary({ order, partnerName }: Detail, now: Date): Markup {
  return descriptionList([
    ['Status', badge(order.status)],
    ['Environment', environmentTag(order.environment)],
    ['Price', money(order.price)],
    [
      'Commission',
      html`${money(order.commission)} <span class="age">${percent(order.commissionBps)}</span>`,
    ],
    ['Owed to us', money(order.amountOwed)],
    ['Paid by', humanize(order.paymentModel)],
    ['Held for', order.reviewReasons.map(humanize).join(', ')],
    ['Partner', link(partnerPath(order.partnerId), partnerName)],
    ['Buyer', order.buyerName],
    ["Buyer's address", order.buyerEmail],
    ['Country', order.buyerCountry],
    ['Recorded', timestamp(order.createdAt, now)],
    ['Delivered', order.transferCompletedAt && timestamp(order.transferCompletedAt, now)],
    ['Settlement', order.settlementId && link(settlementPath(order.settlementId), 'Statement')],
    [
      'Brokerage case',
      order.brokerageCaseId && link(`/ops/brokerage/${order.brokerageCaseId}`, 'Case'),
    ],
    ['Checkout session', order.checkoutSessionId],
    ['Payment reference', order.externalPaymentRef],
    ['Order', html`<span class="id">${order.id}</span>`],
  ]);
}

function timelineTable({ timeline }: Detail, now: Date): Markup {
  return table(
    'Timeline',
    ['When', 'What', 'Status', 'Note'],
    timeline.map((entry) => [
      timestamp(entry.at, now),
      html`<code>${entry.event}</code>`,
      badge(entry.status),
      entry.note && humanize(entry.note),
    ]),
    'Nothing has happened yet.',
  );
}

function transferFacts({ transfer }: Detail, now: Date): Markup {
  if (!transfer) return html``;
  return descriptionList([
    ['Status', badge(transfer.status)],
    ['Method', humanize(transfer.method)],
    ['Registrar', transfer.registrar],
    ['Attempts', transfer.attempts],
    ['Reason', transfer.reason && humanize(transfer.reason)],
    ['Refund', transfer.cancellation && REFUND_STATES[transfer.cancellation]],
    ['Changed', timestamp(transfer.updatedAt, now)],
    ['Transfer', html`<span class="id">${transfer.id}</span>`],
  ]);
}

/** What a refund waits for before the order is taken back. */
const REFUND_STATES = {
  requested: 'Waits for the registrar to stop the push',
  too_late: 'The domain has left: approve or decline the refund',
  unanswered: 'The registrar did not answer: approve or decline the refund',
} as const;

function refundFacts(refund: NonNullable<OrderHistory['refund']>, now: Date): Markup {
  return descriptionList([
    ['Kind', humanize(refund.kind)],
    ['Amount', money(new Money(refund.amountCents, refund.currency))],
    ['Reason', humanize(refund.reason)],
    ['Note', refund.note],
    ['Asked for by', html`<span class="id">${refund.requestedBy}</span>`],
    ['When', timestamp(refund.at, now)],
    ['Refund', html`<span class="id">${refund.id}</span>`],
  ]);
}

function ledgerTable({ ledger }: OrderHistory, now: Date): Markup {
  return table(
    'Ledger entries',
    [
      'Entry',
      'Account',
      { title: 'Debit', number: true },
      { title: 'Credit', number: true },
      'When',
    ],
    ledger.flatMap((entry) =>
      entry.postings.map(({ account, amountCents, currency }, at) => [
        humanize(entry.kind),
        humanize(account),
        amountCents > 0 ? money(new Money(amountCents, currency)) : '',
        amountCents < 0 ? money(new Money(-amountCents, currency)) : '',
        at === 0 ? timestamp(entry.at, now) : '',
      ]),
    ),
    'Nothing is posted.',
  );
}

function deliveriesTable({ deliveries }: OrderHistory, order: Order, now: Date): Markup {
  return html`${table(
    'Webhook deliveries',
    [
      'Event',
      'State',
      { title: 'Attempts', number: true },
      'When',
      { title: 'Actions', quiet: true },
    ],
    deliveries.map((delivery) => [
      html`<code>${delivery.eventType}</code>`,
      badge(delivery.state),
      delivery.attempts,
      timestamp(delivery.at, now),
      actionLink({
        form: 'webhook-resend',
        text: 'Send again',
        about: delivery.eventType,
        given: { delivery: delivery.id },
        back: `/ops/orders/${order.id}`,
      }),
    ]),
    'Nothing was sent: the partner had no endpoint then.',
  )}
<p>${link(endpointPath(order), 'The endpoint and its log')}</p>`;
}

function auditTable({ audit }: OrderHistory, now: Date): Markup {
  return table(
    'Audit trail',
    ['What', 'Who', 'Change', 'When'],
    audit.map((entry) => [
      html`<code>${entry.action}</code>`,
      entry.who,
      changeList(entry.before, entry.after),
      timestamp(entry.at, now),
    ]),
    'Nobody of ops has touched this order.',
  );
}
