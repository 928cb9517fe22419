import { isForSale } from '../../../shared/market/inventory/listing.ts';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import {
  formatMoney,
  formatMoneyWithCode,
  unnamedCurrency,
} from '../../../shared/platform/money.ts';
import {
  blocksNewPayment,
  type CheckoutSession,
  canReopen,
  isCaseSession,
  keepsDomain,
  REVIEW_DECLINED,
  returnUrlWithStatus,
} from '../../../shared/sales/checkout/checkout-session.ts';
import type { SessionForPage } from '../../../shared/sales/checkout/read-checkout-session.ts';
import { brandMark } from '../kit/brand-parts.ts';
import type { ErrorWords } from '../kit/error-page.ts';
import { formatInstant, instant, longDuration } from '../kit/format.ts';
import { asciiLine, descriptionList, documentLinks, domainInText } from '../kit/page-parts.ts';
import { confirmStep, elsewhereStep, mark, pendingStep, type StateView } from './payment-steps.ts';

/** The current state of the page. Whatever was clicked before, the page shows the current state. */
export type PageKind =
  | 'pay'
  | 'confirm'
  | 'elsewhere'
  | 'pending'
  | 'review'
  | 'paid'
  | 'failed'
  | 'cancelled'
  | 'declined'
  | 'expired'
  | 'sold'
  | 'reserved';

export function pageKind(
  { session, listing, payment, heldByOther, heldUntil }: SessionForPage,
  collects: 'card_form' | 'redirect',
): PageKind {
  switch (session.status) {
    case 'paid':
    case 'failed':
      return session.status;
    case 'cancelled':
      if (session.lastDecline === REVIEW_DECLINED) return 'declined';
      // Not by the buyer, if the deal has ended.
      return isCaseSession(session) && !isForSale(listing, { held: false }) ? 'sold' : 'cancelled';
    case 'open':
    case 'expired':
      // A payment that started in time may finish after the session expires.
      if (payment?.status === 'requires_confirmation') {
        return collects === 'card_form' ? 'confirm' : 'elsewhere';
      }
      if (payment && payment.status !== 'created' && blocksNewPayment(payment)) return 'pending';
  }
  if (session.status === 'expired') return 'expired';
  const held = keepsDomain(session) && heldUntil !== null;
  if (!isForSale(listing, { held })) return 'sold';
  if (session.reviewSince !== null) return 'review';
  return heldByOther ? 'reserved' : 'pay';
}

/** The HTTP status of each kind: 410 if the page can no longer be used, 409 if someone else may buy the domain. */
export const HTTP_STATUS: Record<PageKind, number> = {
  pay: 200,
  confirm: 200,
  elsewhere: 200,
  pending: 200,
  review: 200,
  paid: 200,
  failed: 410,
  cancelled: 410,
  declined: 410,
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
  /** Undoes a cancellation. */
  reopen: string;
  /** Where the buyer enters the registrant; null if none is needed. */
  registrant: string | null;
  /** Where the buyer sees the status of the order; null before there is one. */
  purchase: string | null;
  /** Returns the URL of one of the buyer's documents as PDF. */
  document(kind: string): string;
}

type View = (opened: SessionForPage, links: Links, formToken: string) => StateView;

export const STATE_VIEWS: Record<Exclude<PageKind, 'pay'>, View> = {
  confirm: ({ session }, { confirm }, formToken) =>
    confirmStep(session, confirm, formField(formToken)),

  elsewhere: ({ session }, { resume, cancel }, formToken) =>
    elsewhereStep(session, { resume, cancel }, formField(formToken)),

  pending: ({ session }, { resume }) => pendingStep(session, resume),

  review: ({ session, partnerName, brand }, links, formToken) => ({
    title: 'We’re reviewing this purchase',
    content: html`${mark('wait')}<h1>We’re reviewing this purchase</h1>
<p role="status">You have not been charged. ${
      brand.buyerMail
        ? html`We’ll email you at <strong class="name">${session.buyerEmail}</strong> when you can pay`
        : 'Open this link again to see whether you can pay'
    }, by ${formatInstant(session.expiresAt)} at the latest. Until then we hold ${domainInText(session.domain)} for you at ${formatMoney(session.price)}, and this link keeps working.</p>
<form method="post" action="${links.cancel}" class="after">
<input type="hidden" name="form" value="${formToken}">
<button type="submit" class="link">${(session.cancelUrl ?? session.returnUrl) === null ? 'Cancel' : `Cancel and return to ${placeToReturn(session, partnerName)}`}</button>
</form>`,
  }),

  declined: ({ session, partnerName }) => ({
    title: 'Purchase not approved',
    content: html`${mark('stop')}<h1>We could not approve this purchase</h1>
<p>You have not been charged for ${domainInText(session.domain)}.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'cancelled', partnerName)}`,
  }),

  paid: (opened, links, formToken) =>
    isRefunded(opened) ? refunded(opened, links) : bought(opened, links, formToken),

  failed: ({ session, partnerName }) => ({
    title: 'Your payment came too late',
    content: html`${mark('stop')}<h1>Sorry, your payment for ${unicodeOf(session.domain)} came too late</h1>
<p>It arrived when the domain could no longer be bought. <strong>We are refunding ${formatMoney(session.price)} in full.</strong> It can take up to ten days to appear on your statement. You don’t need to do anything.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'failed', partnerName)}`,
  }),

  cancelled: ({ session, now, partnerName }, links, formToken) => ({
    title: 'Purchase canceled',
    content: html`${mark('stop')}<h1>You canceled this purchase</h1>
<p>You were not charged for ${domainInText(session.domain)}. ${canReopen(session, now) ? 'Changed your mind? You can still buy it.' : 'Changed your mind? Ask for a new link.'}</p>
${
  canReopen(session, now) &&
  html`<form method="post" action="${links.reopen}">
<input type="hidden" name="form" value="${formToken}">
<button type="submit" class="primary">Continue to payment</button>
</form>`
}
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'cancelled', partnerName)}`,
  }),

  expired: ({ session, partnerName }) => ({
    title: 'This link has expired',
    content: html`${mark('stop')}<h1>This payment link has expired</h1>
<p>It expired on ${formatInstant(session.expiresAt)}. You were not charged. Ask for a new link to buy ${domainInText(session.domain)}.</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'expired', partnerName)}`,
  }),

  sold: ({ session, partnerName }) => ({
    title: 'No longer for sale',
    content: html`${mark('stop')}<h1>${unicodeOf(session.domain)} is no longer for sale</h1>
<p>${isCaseSession(session) ? 'The deal has ended, or the domain can no longer be bought. You were not charged here.' : 'Someone else bought it, or its owner withdrew it. You were not charged.'}</p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'unavailable', partnerName)}`,
  }),

  reserved: ({ session, partnerName }, links) => ({
    title: 'Someone else is buying this domain',
    content: html`${mark('wait')}<h1>Someone else is buying ${unicodeOf(session.domain)}</h1>
<p>It is on hold for them for a few minutes. You were not charged. If they don’t finish, you can buy it.</p>
<p><a class="button primary" href="${links.self}">Try again</a></p>
${wayBack(session.cancelUrl ?? session.returnUrl, session, 'unavailable', partnerName, 'link')}`,
  }),
};

function isRefunded({ payment }: SessionForPage): boolean {
  return payment?.status === 'refund_pending' || payment?.status === 'refunded';
}

const bought: View = ({ session, orderInReview, partnerName, brand, documents }, links) => ({
  title: 'Payment received',
  content: html`${mark('done')}<h1>Thank you, you bought ${unicodeOf(session.domain)}</h1>
<p>We received your payment. Save your receipt, or the order number.</p>
${descriptionList([
  ['Order', html`<code>${session.orderId}</code>`],
  ['Domain', session.domain],
  ['Paid', formatMoneyWithCode(session.price)],
  ['Date', instant(session.updatedAt)],
  ['Documents', documentLinks(documents, links.document)],
])}
<h2>What happens next</h2>
${links.registrant !== null && html`<p><a class="button primary" href="${links.registrant}">Where should we register it?</a></p>`}
<ol>
${links.registrant !== null && html`<li>You tell us who the domain is registered for. ${brand.buyerMail && 'We also emailed you the link.'}</li>\n`}${orderInReview && html`<li>We check the order.</li>\n`}<li>We transfer the domain. This takes minutes to a few days, depending on the registry.</li>
<li>${partnerName} will let you know when it arrives.</li>
</ol>
${links.purchase !== null && html`<p><a href="${links.purchase}">See where your order stands</a></p>`}
${wayBack(session.returnUrl, session, 'paid', partnerName, links.registrant === null ? 'primary' : null)}`,
});

/** Returns the page of a purchase that was paid and refunded. */
function refunded(
  { session, payment, partnerName, documents }: SessionForPage,
  links: Links,
): StateView {
  const price = formatMoney(session.price);
  return {
    title: 'Refunded',
    content: html`${mark('stop')}<h1>Your purchase of ${unicodeOf(session.domain)} was refunded</h1>
<p>${payment?.status === 'refunded' ? `${price} was returned to the way you paid.` : `${price} goes back to the way you paid.`} Banks usually take five to ten days to show it.</p>
${descriptionList([
  ['Order', html`<code>${session.orderId}</code>`],
  ['Domain', session.domain],
  ['Paid', formatMoneyWithCode(session.price)],
  ['Documents', documentLinks(documents, links.document)],
])}
${links.purchase !== null && html`<p><a href="${links.purchase}">See where your order stands</a></p>`}
${wayBack(session.returnUrl, session, 'paid', partnerName)}`,
  };
}

/** Returns the page for an error. */
export function errorView({ title, text }: ErrorWords): StateView {
  return { title, content: html`${mark('stop')}<h1>${title}</h1>\n<p>${text}</p>` };
}

function wayBack(
  target: string | null,
  session: CheckoutSession,
  status: string,
  partnerName: string,
  look: 'primary' | 'link' | null = null,
): Markup {
  if (target === null) return html`<p class="hint">You can close this page.</p>`;
  return html`<p><a class="button ${look}" rel="noreferrer" href="${returnUrlWithStatus(target, session, status)}">Return to ${placeToReturn(session, partnerName)}</a></p>`;
}

/** Names where the buyer came from: the page of a brokerage request is ours. */
export function placeToReturn(session: CheckoutSession, partnerName: string): string {
  return isCaseSession(session) ? 'your request' : partnerName;
}

function formField(token: string): Markup {
  return html`<input type="hidden" name="form" value="${token}">\n`;
}

/**
 * Shows what is bought, its price, how long the domain is on hold for the buyer (by the partner's quote, whose time the
 * partner shows, too), and when the link expires.
 */
export function summaryView({
  session,
  listing,
  partnerName,
  brand,
  heldUntil,
  now,
}: SessionForPage): Markup {
  const open = session.status === 'open';
  const held = open && heldUntil !== null && heldUntil < session.expiresAt ? heldUntil : null;
  const left = (held?.getTime() ?? 0) - now.getTime();
  const locked = now < session.priceLockedUntil;
  return html`<p class="from brand">${brandMark({ brand, name: partnerName })}</p>
<p class="domain">${listing.domainUnicode}</p>
${asciiLine(session.domain)}
<p class="price">${formatMoney(session.price)}${unnamedCurrency(session.price).map((code) => html` <span>${code}</span>`)}</p>
${descriptionList([
  ['You get', 'The domain and its transfer'],
  [
    'Held for you',
    held &&
      html`<span role="timer" data-left="${Math.ceil(left / SECOND)}">${longDuration(left)}</span>`,
  ],
  ['Link expires', open && instant(session.expiresAt)],
  ['Price valid until', open && locked && instant(session.priceLockedUntil)],
])}`;
}
