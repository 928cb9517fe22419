import type { OrderDetail, OrderStatus, TimelineEntry } from '@domain-marketplace/sdk';
import { clockTime, money, nameplate, readable } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { Purchase } from '../purchases.ts';
import { layout } from './layout.ts';

/** The part of the page that changes, and what a screen reader says about the change. */
export interface OrderNews {
  html: string;
  says: string;
  /** The number of steps so far: a page that already shows more ignores it. */
  steps: number;
  /** Whether the order has ended. */
  done: boolean;
}

const DONE: readonly OrderStatus[] = ['SETTLED', 'REFUNDED', 'CANCELLED'];

/** The stages of a successful order, and the status with which each begins. */
const STAGES: readonly (readonly [title: string, reached: readonly OrderStatus[]])[] = [
  ['Paid', ['PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']],
  ['On its way', ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']],
  ['Yours', ['TRANSFER_COMPLETED', 'SETTLED']],
  ['Settled', ['SETTLED']],
];

/** The meaning of each step for the buyer. A step missing here is shown by its name. */
const STEPS: Readonly<Record<string, string>> = {
  'order.recorded': 'We received your payment.',
  'order.held': 'We are checking your order.',
  'order.manual_review_cleared': 'Your order was approved.',
  'order.transfer_started': 'The transfer has started.',
  'order.transfer_completed': 'The name is in your account.',
  'order.settled': 'The order is settled. Thank you.',
  'order.refunded': 'Your refund is on its way.',
  'transfer.initiated': 'We asked the registrar to transfer the name.',
  'transfer.auth_code_ready': 'The transfer code is ready.',
  'transfer.pending_registry': 'The registry is working on it.',
  'transfer.action_required': 'The transfer needs attention. We are on it.',
  'transfer.completed': 'The registry transferred the name.',
  'transfer.failed':
    'The registrar rejected the transfer. We are on it; you don’t need to do anything.',
  'transfer.cancelled': 'The transfer was stopped.',
};

export function orderPage({ id, query }: Purchase, order: OrderDetail): string {
  const news = newsOf(order);
  return layout({
    title: `${readable(order.domain)}: your order`,
    query,
    main: html`<p role="status" class="unseen" data-says></p>
<div data-order="/orders/${id}/live" data-steps="${news.steps}">${{ markup: news.html }}</div>
<p class="note" data-lost hidden>Connection lost. This page updates again once you are back online.</p>
${
  !news.done &&
  html`<form class="play" action="/orders/${id}/advance" method="post" data-until-done>
<p><strong>Sandbox.</strong> The transfer goes by itself here, within seconds. Settling waits for the end of the month, unless you play the marketplace.</p>
<button class="secondary">Simulate the next step</button>
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
      return 'Thank you. The transfer starts soon.';
    case 'MANUAL_REVIEW':
      return 'Thank you. We are reviewing your order before the transfer starts.';
    case 'TRANSFER_IN_PROGRESS':
      return transfer?.status === 'failed' || transfer?.status === 'action_required'
        ? 'The transfer has stopped. We are on it; you don’t need to do anything.'
        : 'The name is on its way to you.';
    case 'TRANSFER_COMPLETED':
      return 'The name is yours.';
    case 'SETTLED':
      return 'The name is yours, and the order is settled.';
    case 'REFUNDED':
    case 'CANCELLED':
      return 'The order was canceled, and your payment is being refunded.';
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
