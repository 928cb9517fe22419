import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import type { DocumentSummary } from '../../../shared/messaging/documents/document.ts';
import type { Brand } from '../../../shared/messaging/mail/mail-settings.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoneyWithCode } from '../../../shared/platform/money.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import type { DeliveryStep } from '../../../shared/sales/transfers/delivery-steps.ts';
import { brandMark } from '../kit/brand-parts.ts';
import { deliveryStepList } from '../kit/delivery-step-list.ts';
import { instant } from '../kit/format.ts';
import { descriptionList, documentLinks } from '../kit/page-parts.ts';
import type { PageNow } from '../kit/page-time.ts';
import { registrantLayout } from '../registrant/registrant-page.ts';

export interface PurchasePage {
  order: Order;
  steps: readonly DeliveryStep[];
  documents: readonly DocumentSummary[];
  documentHref(kind: string): string;
  /** The buyer's next step; null if there is none, or if only the mail leads there. */
  action: { href: string; text: string } | null;
  brand: Brand;
  now: PageNow;
  /** In SANDBOX: which clock the page uses. */
  testMode: string | false;
}

/** Returns the page of a purchase: its status, whose turn it is, and its documents. */
export function purchasePage(page: PurchasePage): string {
  const { order, brand, documents, documentHref } = page;
  const unicode = unicodeOf(order.domain);
  // If the partner sold it, only the partner knows the price that the buyer paid.
  const isPaidToUs = order.paymentModel !== 'merchant_of_record';
  return registrantLayout({
    title: `Your order of ${unicode}`,
    brand,
    testMode: page.testMode,
    secret:
      'Anyone with the link to this page can see your order and its documents. Don’t share it.',
    content: html`<header class="top">
${brand.displayName !== null && html`<p class="brand">${brandMark({ brand, name: brand.displayName })}</p>`}
<p class="kicker">Your order</p>
<h1>${unicode}</h1>
</header>
${standing(page)}
<section class="card" aria-labelledby="steps"><h2 id="steps">Delivery</h2>
${deliveryStepList(page.steps, page.now, 'buyer')}
</section>
<section class="card" aria-labelledby="order"><h2 id="order">Order</h2>
${descriptionList([
  ['Domain', order.domain],
  ['Price', isPaidToUs && formatMoneyWithCode(order.price)],
  ['Ordered', instant(order.createdAt)],
  ['Order', html`<code>${order.id}</code>`],
  ['Documents', documentLinks(documents, documentHref)],
])}
</section>`,
  });
}

function standing({ order, steps, action }: PurchasePage): Markup {
  const { tone, title, text } = wordsOf(order, steps);
  return html`<section class="card standing ${tone}"><h2>${title}</h2>
<p>${text}</p>
${action && html`<p class="do"><a class="button primary" href="${action.href}">${action.text}</a></p>`}
</section>`;
}

function wordsOf({ status }: Order, steps: readonly DeliveryStep[]) {
  const now = steps.find(({ state }) => state === 'now');
  if (now) {
    const title = now.turn === 'buyer' ? 'It’s your turn' : 'On its way';
    return { tone: now.turn === 'buyer' ? '' : 'good', title, text: now.text };
  }
  if (status === 'REFUNDED' || status === 'CANCELLED') {
    const text = 'This order was reversed. The full price is returned to you.';
    return { tone: 'over', title: 'Reversed', text };
  }
  return { tone: 'good', title: 'Delivered', text: 'The domain is yours.' };
}
