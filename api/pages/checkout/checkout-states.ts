import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { formatMoney } from '../../../shared/platform/money.ts';
import {
  blocksNewPayment,
  returnUrlWithStatus,
} from '../../../shared/sales/checkout/checkout-session.ts';
import type { SessionForPage } from '../../../shared/sales/checkout/read-checkout-session.ts';
import { html, type Markup } from '../kit/html.ts';

/** What the page is about now. Whatever was clicked before, the page shows how things stand. */
export type PageKind =
  | 'pay'
  | 'confirm'
  | 'elsewhere'
  | 'pending'
  | 'paid'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'sold'
  | 'reserved';

export function pageKind(
  { session, listing, payment, heldByOther }: SessionForPage,
  collects: 'card_form' | 'redirect',
): PageKind {
  switch (session.status) {
    case 'paid':
    case 'failed':
    case 'cancelled':
      return session.status;
    case 'open':
    case 'expired':
      // A payment that was begun in time may end after it.
      if (payment?.status === 'requires_confirmation') {
        return collects === 'card_form' ? 'confirm' : 'elsewhere';
      }
      if (payment && payment.status !== 'created' && blocksNewPayment(payment)) return 'pending';
  }
  if (session.status === 'expired') return 'expired';
  if (listing.status !== 'listed') return 'sold';
  return heldByOther ? 'reserved' : 'pay';
}

/** The HTTP status of each: what is over is gone, what somebody else is about to buy is a conflict. */
export const HTTP_STATUS: Record<PageKind, number> = {
  pay: 200,
  confirm: 200,
  elsewhere: 200,
  pending: 200,
  paid: 200,
  failed: 410,
  cancelled: 410,
  expired: 410,
  sold: 410,
  reserved: 409,
};

export interface Links {
  self: string;
  confirm: string;
  /** Asks the provider again. */
  resume: string;
  cancel: string;
}

/** What is shown instead of the form, when things stand otherwise. */
export interface StateView {
  title: string;
  content: Markup;
}

type View = (opened: SessionForPage, links: Links, formToken: string) => StateView;

export const STATE_VIEWS: Record<Exclude<PageKind, 'pay'>, View> = {
  confirm: ({ session }, links, formToken) => ({
    title: 'Confirm your payment',
    content: html`${mark('wait')}<h1>Confirm your payment</h1>
<p>Your bank asks whether it is you who pays <strong>${formatMoney(session.price)}</strong> for <strong class="name">${session.domain}</strong>.</p>
<form method="post" action="${links.confirm}" data-pay>
<input type="hidden" name="form" value="${formToken}">
<button type="submit" name="answer" value="approve" class="primary" data-busy="Confirming…">Approve the payment</button>
<button type="submit" name="answer" value="refuse" class="secondary">Refuse</button>
</form>
<p class="hint center">Nothing is charged until you approve.</p>`,
  }),

  elsewhere: ({ session }, links, formToken) => ({
    title: 'Finish your payment',
    content: html`${mark('wait')}<h1>Finish your payment</h1>
<p>You began to pay <strong>${formatMoney(session.price)}</strong> on the page of our payment provider and have not finished. The domain is kept for you meanwhile.</p>
<form method="post" action="${links.resume}" data-pay>
<input type="hidden" name="form" value="${formToken}">
<button type="submit" class="primary" data-busy="One moment…">Continue to payment</button>
</form>
<form method="post" action="${links.cancel}" class="quiet">
<input type="hidden" name="form" value="${formToken}">
<button type="submit" class="link">Cancel the purchase</button>
</form>`,
  }),

  pending: ({ session }, links) => ({
    title: 'Your payment is on its way',
    content: html`${mark('wait')}<h1>Your payment is on its way</h1>
<p role="status">We wait for your bank to confirm <strong>${formatMoney(session.price)}</strong>. This page looks again every few seconds; there is no need to pay twice.</p>
<p><a class="button secondary" href="${links.resume}">Look now</a></p>`,
  }),

  paid: ({ session, payment, partnerName }) => ({
    title: 'Payment received',
    content: html`${mark('done')}<h1>Thank you, you bought ${session.domain}</h1>
<p>We have received your payment. Keep the order number, or print this page.</p>
${(payment?.status === 'refund_pending' || payment?.status === 'refunded') && html`<div class="alert"><p>This payment was given back to you.</p></div>`}
<dl class="receipt">
<div class="line"><dt>Order</dt><dd><code>${session.orderId}</code></dd></div>
<div class="line"><dt>Domain</dt><dd>${session.domain}</dd></div>
<div class="line"><dt>Paid</dt><dd>${formatMoney(session.price)} ${session.price.currency}</dd></div>
<div class="line"><dt>Date</dt><dd><time datetime="${session.updatedAt.toISOString()}">${instant(session.updatedAt)}</time></dd></div>
</dl>
<h2>What happens next</h2>
<ol>
<li>We transfer the domain. That takes from minutes to a few days, depending on its registry.</li>
<li>You hear from ${partnerName} when it has arrived.</li>
</ol>
${wayBack(session.returnUrl, session, 'paid', partnerName, 'primary')}`,
  }),

  failed: ({ session, partnerName }) => ({
    title: 'The domain was sold meanwhile',
    content: html`${mark('stop')}<h1>Sorry, ${session.domain} was sold meanwhile</h1>
<p>Your payment arrived after somebody else had bought the domain. <strong>We give back ${formatMoney(session.price)} in full</strong>; it takes your bank up to ten days to show it. There is nothing for you to do.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'failed', partnerName)}`,
  }),

  cancelled: ({ session, partnerName }) => ({
    title: 'Purchase cancelled',
    content: html`${mark('stop')}<h1>You cancelled this purchase</h1>
<p>Nothing was charged. To buy <strong class="name">${session.domain}</strong> after all, ask for a new link.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'cancelled', partnerName)}`,
  }),

  expired: ({ session, partnerName }) => ({
    title: 'This link has expired',
    content: html`${mark('stop')}<h1>This payment link has expired</h1>
<p>It was good until ${instant(session.expiresAt)}. Nothing was charged. Ask for a new link to buy <strong class="name">${session.domain}</strong>.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'expired', partnerName)}`,
  }),

  sold: ({ session, partnerName }) => ({
    title: 'Not for sale any more',
    content: html`${mark('stop')}<h1>${session.domain} is not for sale any more</h1>
<p>Somebody else bought it, or its owner took it back. You were not charged.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'unavailable', partnerName)}`,
  }),

  reserved: ({ session, partnerName }, links) => ({
    title: 'Somebody else is buying this domain',
    content: html`${mark('wait')}<h1>Somebody else is about to buy ${session.domain}</h1>
<p>It is kept for them for a few minutes. You were not charged. If they don’t finish, you can buy it.</p>
<p><a class="button primary" href="${links.self}">Try again</a></p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'unavailable', partnerName, 'link')}`,
  }),
};

/** A page about a link that opens nothing. */
export function errorView(title: string, text: string): StateView {
  return { title, content: html`${mark('stop')}<h1>${title}</h1>\n<p>${text}</p>` };
}

function wayBack(
  target: string | null,
  session: { id: string },
  status: string,
  partnerName: string,
  look: 'primary' | 'secondary' | 'link' = 'secondary',
): Markup {
  if (target === null) return html`<p class="hint">You can close this page.</p>`;
  return html`<p><a class="button ${look}" rel="noreferrer" href="${returnUrlWithStatus(target, session, status)}">Return to ${partnerName}</a></p>`;
}

const SHAPES = {
  done: html`<path d="m7 12.5 3.5 3.5L17 9"/>`,
  wait: html`<path d="M12 7v5l3 2"/>`,
  stop: html`<path d="M12 7v6M12 16.5v.5"/>`,
};

function mark(kind: keyof typeof SHAPES): Markup {
  return html`<svg class="mark ${kind}" aria-hidden="true" viewBox="0 0 24 24" width="48" height="48"><circle cx="12" cy="12" r="10"/>${SHAPES[kind]}</svg>`;
}

/**
 * What is bought, for how much, how long the domain is held for the buyer (by the partner's quote, whose time the
 * partner shows, too), and how long the link is good.
 */
export function summaryView(
  { session, listing, partnerName, heldUntil }: SessionForPage,
  now: Date,
): Markup {
  const open = session.status === 'open';
  const held = open && heldUntil !== null && heldUntil < session.expiresAt ? heldUntil : null;
  const left = (held?.getTime() ?? 0) - now.getTime();
  const locked = now < session.priceLockedUntil;
  return html`<p class="from">${partnerName}</p>
<p class="domain">${listing.domainUnicode}</p>
${listing.domainUnicode !== session.domain && html`<p class="ascii">${session.domain}</p>`}
<p class="price">${formatMoney(session.price)} <span>${session.price.currency}</span></p>
<dl>
<div class="fact"><dt>You get</dt><dd>The domain and its transfer</dd></div>
${held && html`<div class="fact"><dt>Held for you</dt><dd><span role="timer" data-left="${Math.ceil(left / SECOND)}">${timeLeft(left)}</span></dd></div>`}
${open && html`<div class="fact"><dt>Link good until</dt><dd><time datetime="${session.expiresAt.toISOString()}">${instant(session.expiresAt)}</time></dd></div>`}
${open && locked && html`<div class="fact"><dt>Price kept until</dt><dd><time datetime="${session.priceLockedUntil.toISOString()}">${instant(session.priceLockedUntil)}</time></dd></div>`}
</dl>`;
}

/** `6 days 23 hours`; the two largest units. */
function timeLeft(ms: number): string {
  const units: [string, number][] = [
    ['day', DAY],
    ['hour', HOUR],
    ['minute', MINUTE],
  ];
  const first = units.findIndex(([, size]) => ms >= size);
  if (first === -1) return 'less than a minute';
  return units
    .slice(first, first + 2)
    .map(([unit, size], at) => {
      const [, larger] = units[first + at - 1] ?? [];
      const count = Math.floor((at > 0 && larger ? ms % larger : ms) / size);
      return count === 0 ? '' : `${count} ${unit}${count === 1 ? '' : 's'}`;
    })
    .filter(Boolean)
    .join(' ');
}

const format = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** `Nov 21, 2026, 9:30 AM UTC`. */
export function instant(at: Date): string {
  return `${format.format(at)} UTC`;
}
