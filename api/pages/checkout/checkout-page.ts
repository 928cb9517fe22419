import type { Response } from 'express';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import type { PaymentProviders } from '../../../shared/money/payments/payment-provider.ts';
import { type Clock, realNow } from '../../../shared/platform/clock.ts';
import type { SignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { writeFormToken } from '../../../shared/sales/checkout/checkout-token.ts';
import type { SessionForPage } from '../../../shared/sales/checkout/read-checkout-session.ts';
import { purchasePath } from '../../../shared/sales/orders/purchase-link.ts';
import { registrantPath } from '../../../shared/sales/orders/registrant-link.ts';
import { type BrandedPage, brandLinks, brandMark, brandStyles } from '../kit/brand-parts.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { icon } from '../kit/icon.ts';
import { allowFormTargets } from '../kit/page-headers.ts';
import { clockWords } from '../kit/page-time.ts';
import {
  HTTP_STATUS,
  type Links,
  pageKind,
  placeToReturn,
  STATE_VIEWS,
  summaryView,
} from './checkout-states.ts';
import {
  type BuyerFields,
  confirmsFee,
  declineText,
  type FieldErrors,
  type PayForm,
  payView,
} from './payment-form.ts';

const REFRESH_SECONDS = 5;
const RESERVED_SECONDS = 60;

/** Returns the URLs of a session's page, with the token that opens it. */
export function checkoutLinks(
  sessionId: string,
  token: string,
): Omit<Links, 'registrant' | 'purchase'> & { pay: string } {
  const to = (path: string) => `/checkout/${sessionId}${path}?pt=${token}`;
  return {
    self: to(''),
    pay: to('/pay'),
    confirm: to('/confirm'),
    resume: to('/return'),
    cancel: to('/cancel'),
    reopen: to('/reopen'),
    document: (kind) => to(`/documents/${kind}`),
  };
}

/** What the buyer submitted, shown again with its errors. */
export interface Retry {
  /** The premium renewal fee that the buyer confirmed, as the form sent it. */
  premium: unknown;
  buyer: BuyerFields;
  errors?: FieldErrors;
  /** The price that was shown before, if it has changed. */
  shown?: Money;
}

/** Shows the state of a session: the form while it can be paid, otherwise the result. */
export async function sendCheckoutPage(
  runtime: { tokens: SignedTokens; clock: Clock; payments: PaymentProviders },
  res: Response,
  opened: SessionForPage,
  retry?: Retry,
): Promise<void> {
  const { session } = opened;
  const { collects } = runtime.payments(session.environment);
  const kind = pageKind(opened, collects);
  const waiting = opened.actionRequired === 'registrant_required' ? session.orderId : null;
  const links = {
    ...checkoutLinks(session.id, res.locals.token),
    registrant: waiting && (await registrantPath(runtime.tokens, waiting)),
    purchase:
      session.orderId &&
      (await purchasePath(runtime.tokens, { orderId: session.orderId, isMailed: false })),
  };
  const formToken = await writeFormToken(
    runtime.tokens,
    session.id,
    session.price,
    session.expiresAt,
  );
  const targets = [session.cancelUrl ?? session.returnUrl];
  allowFormTargets(res, targets, collects === 'redirect', opened.brand.logoUrl);

  const view =
    kind === 'pay'
      ? {
          title: `Pay for ${unicodeOf(session.domain)}`,
          content: payView(payForm(opened, links, formToken, collects === 'card_form', retry)),
        }
      : STATE_VIEWS[kind](opened, links, formToken);
  if (kind === 'reserved') res.set('Retry-After', String(RESERVED_SECONDS));
  const waits = kind === 'pending' && {
    refresh: { seconds: REFRESH_SECONDS, url: links.resume },
  };
  const buying = kind === 'pay' || kind === 'review' || kind === 'confirm' || kind === 'elsewhere';
  res
    .status(kind === 'pay' && retry ? statusOfRetry(retry) : HTTP_STATUS[kind])
    .type('html')
    .send(
      checkoutLayout({
        ...view,
        ...waits,
        ...(buying && { summary: summaryView(opened) }),
        branded: { brand: opened.brand, name: opened.partnerName },
        testMode:
          session.environment === 'SANDBOX' &&
          `No money moves and no real domain is sold. ${clockWords(opened.now, realNow(runtime.clock))}`,
      }),
    );
}

function statusOfRetry(retry: Retry): number {
  return retry.shown ? 409 : 422;
}

function payForm(
  { session, partnerName, listing }: SessionForPage,
  links: Links & { pay: string },
  formToken: string,
  cardForm: boolean,
  retry: Retry | undefined,
): PayForm {
  const fee = listing.premium?.renewalFee ?? null;
  return {
    title: 'Pay for your domain',
    action: links.pay,
    cancelAction: links.cancel,
    hidden: { form: formToken },
    asksEmail: true,
    keepsCard: null,
    premium: fee && { fee, isConfirmed: retry !== undefined && confirmsFee(retry.premium, fee) },
    price: session.price,
    buyer: retry?.buyer ?? {
      email: session.buyerEmail ?? '',
      name: session.buyerName ?? '',
      country: session.buyerCountry ?? '',
    },
    errors: retry?.errors ?? {},
    alert: retry?.shown
      ? newPrice(retry.shown, session.price)
      : retry
        ? null
        : declineText(session.lastDecline),
    cardForm,
    testCards: session.environment === 'SANDBOX',
    backTo: (session.cancelUrl ?? session.returnUrl) && placeToReturn(session, partnerName),
  };
}

/** Describes a price change since the form was shown. */
export function newPrice(before: Money, now: Money): { title: string; text: string } {
  const [was, is] = [before, now].map(formatMoney);
  return {
    title: `The price is now ${is}`,
    text: `It was ${was} when you opened this page. You were not charged. To pay the new price, enter your card again.`,
  };
}

export interface CheckoutLayout {
  title: string;
  content: Markup;
  /** What is being bought; left out on pages that must not reveal it. */
  summary?: Markup;
  /** The partner of the page; left out if unknown. */
  branded?: BrandedPage;
  /** In SANDBOX: that no money moves, and which clock the page uses. */
  testMode?: string | false;
  /** A waiting page reloads this URL after this many seconds. */
  refresh?: { seconds: number; url: string };
  /** What happens to the card details; by default, that they are not stored. False where no card is asked for. */
  assurance?: string | false;
}

/** Returns the frame of every page under /checkout. */
export function checkoutLayout({
  title,
  content,
  summary,
  branded,
  testMode,
  refresh,
  assurance = 'Card details are used for this payment only and never stored.',
}: CheckoutLayout): string {
  return htmlDocument({
    title,
    styles: ['checkout.css'],
    scripts: ['checkout.js'],
    head: html`${refresh && html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.url}">\n`}${branded && brandStyles(branded.brand)}`,
    bodyClass: branded && 'branded',
    testMode,
    content: html`<div class="frame${summary ? ' wide' : ''}">
${branded && !summary && html`<header class="brand">${brandMark(branded)}</header>`}
${summary && html`<aside class="summary" aria-label="Your order">${summary}</aside>`}
<main class="card">
${content}
</main>
</div>`,
    footer: html`<footer>${branded && brandLinks(branded)}${assurance && html`<p class="assurance">${icon('lock')}${assurance}</p>`}</footer>`,
  });
}
