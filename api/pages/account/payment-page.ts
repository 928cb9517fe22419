import type { Response } from 'express';
import { expiryAfter, yearsOf } from '../../../shared/domains/owned-domains/renewal-terms.ts';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import type { PaymentProvider } from '../../../shared/money/payments/payment-provider.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import {
  formatMoney,
  formatMoneyWithCode,
  type Money,
  unnamedCurrency,
} from '../../../shared/platform/money.ts';
import type { RenewalForPage } from '../../../shared/sales/renewals/read-renewals.ts';
import type { Renewal } from '../../../shared/sales/renewals/renewal.ts';
import type { ApiServices } from '../../compose-api.ts';
import { checkoutLayout, newPrice } from '../checkout/checkout-page.ts';
import {
  type BuyerFields,
  declineText,
  type FieldErrors,
  payView,
} from '../checkout/payment-form.ts';
import {
  confirmStep,
  elsewhereStep,
  mark,
  pendingStep,
  type StateView,
} from '../checkout/payment-steps.ts';
import { formatDay, instant } from '../kit/format.ts';
import { allowFormTargets } from '../kit/page-headers.ts';
import {
  asciiLine,
  descriptionList,
  documentLinks,
  domainInText,
  notice,
} from '../kit/page-parts.ts';

const REFRESH_SECONDS = 5;
const ASSURANCE =
  'We never store card numbers. A card that you keep stays with our payment provider.';

/** What the owner submitted, shown again with its errors. */
export interface PaymentRetry {
  payer: BuyerFields;
  keepsCard?: boolean;
  errors?: FieldErrors;
  /** The price that was shown before, if it has changed. */
  shown?: Money;
  /** Why payment is not possible at the moment. */
  refusal?: string;
}

/** Returns the URLs of a payment's page. */
export function paymentLinks({ id, domain }: { id: string; domain: string }) {
  const self = `/account/payments/${id}`;
  return {
    self,
    pay: `${self}/pay`,
    confirm: `${self}/confirm`,
    resume: `${self}/return`,
    cancel: `${self}/cancel`,
    domain: `/account/domains/${domain}`,
    document: (kind: string) => `${self}/documents/${kind}`,
  };
}

type Links = ReturnType<typeof paymentLinks>;

/** Shows the state of an owner's payment: the form while it can be paid, otherwise the result. */
export function sendPaymentPage(
  runtime: ApiServices,
  res: Response,
  opened: RenewalForPage,
  given: PaymentRetry,
  retried = false,
): void {
  const { renewal, payment } = opened;
  const { collects, keepsCards } = runtime.payments('LIVE');
  allowFormTargets(res, [], collects === 'redirect', null);
  const links = paymentLinks(renewal);
  const isSoonDone = renewal.status === 'paid' && (opened.progress ?? 'trying') === 'trying';
  const waiting = payment?.status === 'pending' || isSoonDone;
  res
    .status(retried ? (given.shown || given.refusal ? 409 : 422) : 200)
    .type('html')
    .send(
      checkoutLayout({
        ...viewOf(opened, links, { collects, keepsCards }, given),
        ...(keepsCards && { assurance: ASSURANCE }),
        summary: summary(opened),
        ...(waiting && { refresh: { seconds: REFRESH_SECONDS, url: links.resume } }),
      }),
    );
}

function viewOf(
  opened: RenewalForPage,
  links: Links,
  { collects, keepsCards }: Pick<PaymentProvider, 'collects' | 'keepsCards'>,
  given: PaymentRetry,
): StateView {
  const { renewal, payment } = opened;
  const { domain, price } = renewal;
  if (renewal.status === 'awaiting_payment') {
    if (payment?.status === 'requires_confirmation') {
      return collects === 'card_form'
        ? confirmStep(renewal, links.confirm, false)
        : elsewhereStep(renewal, links, false, '');
    }
    const isSent = payment && (payment.status !== 'created' || renewal.automaticDays !== null);
    if (isSent) return pendingStep(renewal, links.resume);
    const { amount, currency } = price;
    return {
      title: `Pay for ${unicodeOf(domain)}`,
      content: payView({
        title:
          renewal.kind === 'restore'
            ? `Restore ${unicodeOf(domain)}`
            : `Renew ${unicodeOf(domain)}`,
        action: links.pay,
        cancelAction: links.cancel,
        hidden: { shown: `${amount} ${currency}` },
        asksEmail: false,
        price,
        buyer: given.payer,
        premium: null,
        keepsCard: keepsCards ? (given.keepsCard ?? renewal.keepsCard) : null,
        errors: given.errors ?? {},
        alert: alertOf(opened, given),
        cardForm: collects === 'card_form',
        testCards: collects === 'card_form',
        backTo: 'the domain',
      }),
    };
  }
  return ENDS[renewal.status](opened, links);
}

function alertOf({ renewal }: RenewalForPage, given: PaymentRetry) {
  if (given.refusal) return { title: 'You were not charged', text: given.refusal };
  if (given.shown) return newPrice(given.shown, renewal.price);
  return given.errors ? null : declineText(renewal.lastDecline);
}

const ENDS: Record<
  Exclude<RenewalForPage['renewal']['status'], 'awaiting_payment'>,
  (opened: RenewalForPage, links: Links) => StateView
> = {
  paid: ({ renewal, progress = 'trying' }) => ({
    title: 'Payment received',
    content: html`${mark('wait')}<h1>Payment received</h1>
<p role="status">${PROGRESS[progress](renewal)}</p>`,
  }),
  completed: ({ renewal, documents }, links) => ({
    title: 'Done',
    content: html`${mark('done')}<h1>${unicodeOf(renewal.domain)} is ${renewal.kind === 'restore' ? 'restored' : 'renewed'}</h1>
${descriptionList([
  ['Registered until', formatDay(expiryAfter(renewal.renewsFrom, renewal.years))],
  ['Paid', formatMoneyWithCode(renewal.price)],
  ['Date', instant(renewal.updatedAt)],
  ['Documents', documentLinks(documents, links.document)],
])}
${back(links)}`,
  }),
  refunded: ({ renewal, documents, returnedByBank }, links) => ({
    title: 'Refunded',
    content: html`${mark('stop')}<h1>Your payment was refunded</h1>
${renewal.refusal !== null && notice({ tone: 'bad', content: renewal.refusal })}
<p>${returnedByBank ? `Your bank has returned ${formatMoney(renewal.price)} to you, as you disputed the payment.` : goesBack(renewal)}</p>
${descriptionList([['Documents', documentLinks(documents, links.document)]])}
${back(links)}`,
  }),
  cancelled: (opened, links) =>
    opened.renewal.automaticDays === null
      ? ended('This payment was canceled', opened, links)
      : ended('This payment did not go through', opened, links),
  expired: (opened, links) => ended('This price has expired', opened, links),
};

/** The progress of a paid renewal. */
const PROGRESS: Record<NonNullable<RenewalForPage['progress']>, (renewal: Renewal) => Markup> = {
  trying: ({ kind, domain, price }) =>
    html`We received ${formatMoney(price)} and are ${kind === 'restore' ? 'restoring' : 'renewing'} ${domainInText(domain)} at its registry. This usually takes seconds. This page refreshes by itself, and we email you when it is done.`,
  waiting: ({ kind, domain, price }) =>
    html`We received ${formatMoney(price)}. The payment is reviewed before we ${kind === 'restore' ? 'restore' : 'renew'} ${domainInText(domain)}. We email you when it is done, or if you get your money back.`,
  given_up: ({ kind, domain, price }) =>
    html`We received ${formatMoney(price)}, but the registry has not confirmed whether it has ${kind === 'restore' ? 'restored' : 'renewed'} ${domainInText(domain)}. Our staff is looking into it: you get the domain ${kind === 'restore' ? 'back' : 'renewed'} or your money back, and an email either way.`,
};

/** Shows a renewal that was not paid in time; a later payment is refunded. */
function ended(title: string, { renewal, payment }: RenewalForPage, links: Links): StateView {
  const isLate = payment?.status === 'refund_pending' || payment?.status === 'refunded';
  return {
    title,
    content: html`${mark('stop')}<h1>${title}</h1>
<p>${isLate ? `Your payment arrived after that. ${goesBack(renewal)}` : 'You were not charged.'} To start over, go back to the domain.</p>
${back(links)}`,
  };
}

function goesBack({ price }: Renewal): string {
  return `${formatMoney(price)} goes back to the way you paid. Banks usually take five to ten days to show it.`;
}

function back({ domain }: Links): Markup {
  return html`<p><a class="button primary" href="${domain}">Back to the domain</a></p>`;
}

function summary({ renewal }: RenewalForPage): Markup {
  const { domain, price, years, renewsFrom, status, expiresAt, kind } = renewal;
  return html`<p class="from">Your account</p>
<p class="domain">${unicodeOf(domain)}</p>
${asciiLine(domain)}
<p class="price">${formatMoney(price)}${unnamedCurrency(price).map((code) => html` <span>${code}</span>`)}</p>
${descriptionList([
  ['You get', kind === 'restore' ? `The domain back, and ${yearsOf(years)}` : yearsOf(years)],
  ['Current expiry date', formatDay(renewsFrom)],
  ['New expiry date', formatDay(expiryAfter(renewsFrom, years))],
  ['Taxes', 'Included'],
  ['Price valid until', status === 'awaiting_payment' && instant(expiresAt)],
])}`;
}
