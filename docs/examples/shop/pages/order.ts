import type { OrderDetail, OrderStatus, TimelineEntry } from '@domain-marketplace/sdk';
import { clockTime, money, nameplate, readable } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { Purchase } from '../purchases.ts';
import { layout } from './layout.ts';

/** The part of the page that changes, and what a screen reader says of the change. */
export interface OrderNews {
  html: string;
  says: string;
  /** How much has happened: a page that knows more already leaves it alone. */
  steps: number;
  /** Nothing more will come. */
  done: boolean;
}

const DONE: readonly OrderStatus[] = ['SETTLED', 'REFUNDED', 'CANCELLED'];

/** The way of an order that nothing stops, and the status that each stage begins with. */
const STAGES: readonly (readonly [title: string, reached: readonly OrderStatus[]])[] = [
  ['Paid', ['PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']],
  ['On its way', ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']],
  ['Yours', ['TRANSFER_COMPLETED', 'SETTLED']],
  ['Settled', ['SETTLED']],
];

/** What each step means to a buyer. A step that we do not know yet is shown by its own name. */
const STEPS: Readonly<Record<string, string>> = {
  'order.recorded': 'We have your payment.',
  'order.held': 'We are checking your order.',
  'order.manual_review_cleared': 'Your order was checked. All is well.',
  'order.transfer_started': 'The transfer has begun.',
  'order.transfer_completed': 'The name is in your account.',
  'order.settled': 'The books are closed. Thank you.',
  'order.refunded': 'Your money is on its way back.',
  'transfer.initiated': 'The registrar was asked to move the name.',
  'transfer.auth_code_ready': 'The code for the move is ready.',
  'transfer.pending_registry': 'The registry is working on it.',
  'transfer.action_required': 'The transfer needs a hand. We are on it.',
  'transfer.completed': 'The registry has moved the name.',
  'transfer.failed':
    'The registrar refused the move. We are on it, there is nothing for you to do.',
  'transfer.cancelled': 'The transfer was stopped.',
};

export function orderPage({ id, query }: Purchase, order: OrderDetail): string {
  const news = newsOf(order);
  return layout({
    title: `${readable(order.domain)}: your order`,
    query,
    main: html`<p role="status" class="unseen" data-says></p>
<div data-order="/orders/${id}/live" data-steps="${news.steps}">${{ markup: news.html }}</div>
<p class="note" data-lost hidden>The connection is gone. This page goes on as soon as it is back.</p>
${
  !news.done &&
  html`<form class="play" action="/orders/${id}/advance" method="post" data-until-done>
<p><strong>Sandbox.</strong> The transfer goes by itself here, within seconds. Settling waits for the end of the month, unless you play the marketplace.</p>
<button class="secondary">Take the next step</button>
</form>`
}`,
  });
}

export function newsOf(order: OrderDetail): OrderNews {
  const says = headline(order);
  const price = money(order.sale_price_cents, order.currency);
  const done = DONE.includes(order.status);
  const { markup } = html`<div class="pair">
<section class="plate">
<p class="kind">Order ${order.public_id}</p>
<h1 class="name">${nameplate(order.domain)}</h1>
<p class="says">${says}</p>
<p class="small">Paid ${price}</p>
</section>
<section class="panel">
${stages(order)}
<h2 class="kind">What happened${!done && html`<span class="live">Live</span>`}</h2>
<ol class="timeline">${order.timeline.map(step)}</ol>
</section>
</div>`;
  return { html: markup, says, steps: order.timeline.length, done };
}

function headline({ status, transfer }: OrderDetail): string {
  switch (status) {
    case 'EXTERNALLY_PAID':
    case 'PAID':
      return 'Thank you. We are about to move the name to you.';
    case 'MANUAL_REVIEW':
      return 'Thank you. We take a short look at the order before the name moves.';
    case 'TRANSFER_IN_PROGRESS':
      return transfer?.status === 'failed' || transfer?.status === 'action_required'
        ? 'The transfer has stopped. We are on it, there is nothing for you to do.'
        : 'The name is on its way to you.';
    case 'TRANSFER_COMPLETED':
      return 'The name is yours.';
    case 'SETTLED':
      return 'The name is yours, and all is settled.';
    case 'REFUNDED':
    case 'CANCELLED':
      return 'The order was taken back, and so is your payment.';
  }
}

function stages({ status }: OrderDetail): Markup | undefined {
  if (status === 'REFUNDED' || status === 'CANCELLED') return undefined;
  const current = STAGES.filter(([, reached]) => reached.includes(status)).length - 1;
  const items = STAGES.map(
    ([title], at) =>
      html`<li class="${at <= current ? 'reached' : 'ahead'}"${
        at === current && { markup: ' aria-current="step"' }
      }>${title}<span class="unseen">${at <= current ? ': done' : ': to come'}</span></li>`,
  );
  return html`<ol class="stages" aria-label="How far it is">${items}</ol>`;
}

function step({ at, event }: TimelineEntry): Markup {
  return html`<li><p>${STEPS[event] ?? event}</p>${clockTime(at)}</li>`;
}
