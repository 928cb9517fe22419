import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import type { DocumentSummary } from '../../../shared/messaging/documents/document.ts';
import type { Brand } from '../../../shared/messaging/mail/mail-settings.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { decimalAmount, formatMoney, type Money } from '../../../shared/platform/money.ts';
import {
  agreedPrice,
  type BrokerageCase,
  type CaseEntry,
  type CaseEventName,
  type CaseStatus,
  canBuyerChange,
  isOpenCase,
  standingOffer,
} from '../../../shared/sales/brokerage/brokerage-case.ts';
import type { DealReview } from '../../../shared/sales/checkout/case-session.ts';
import type { OrderStatus } from '../../../shared/sales/orders/order.ts';
import { type BrandedPage, brandLinks, brandMark, brandStyles } from '../kit/brand-parts.ts';
import { checkbox, inputField } from '../kit/form.ts';
import { instant } from '../kit/format.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { asciiLine, descriptionList, documentLinks, notice } from '../kit/page-parts.ts';

/** The fields of the page that can have errors. */
export type FaultyField = 'budget' | 'confirm' | 'offer';

export interface ProgressPage {
  found: BrokerageCase;
  timeline: readonly CaseEntry[];
  /** Signed; every form of the page sends it back. */
  token: string;
  /** The clock that the page uses, for its test-mode bar. */
  clock: string;
  /** The partner's brand for buyers; not shown until the partner has a display name. */
  brand: Brand;
  /** The status of the deal's order, once the domain is bought. */
  orderStatus?: OrderStatus | undefined;
  /** Whether someone else has bought the domain. */
  isGone?: boolean | undefined;
  /** The review of the buyer's payment. */
  review?: DealReview | undefined;
  /** The buyer's documents, once the domain is bought. */
  documents?: readonly DocumentSummary[];
  /** The success message. */
  done?: string | undefined;
  /** Why the last form was refused, and what was typed into it. */
  fault?: { field: FaultyField | null; message: string; typed?: string } | undefined;
}

/** Returns the page of one case: its status, budget and offers, the buyer's options, and its history. */
export function progressPage(page: ProgressPage): string {
  const { found, timeline, token, orderStatus, isGone, review, documents = [], done, fault } = page;
  const order = isGone
    ? GONE
    : review
      ? REVIEW_TEXT[review]
      : orderStatus && ORDER_TEXT[orderStatus];
  const unicode = unicodeOf(found.domain);
  const name = page.brand.displayName;
  const branded = name !== null && { brand: page.brand, name };
  const { title, text } = order ?? statusText(found);
  return progressLayout({
    title: `${title}: ${unicode}`,
    testMode:
      found.environment === 'SANDBOX' &&
      `Nobody is contacted and no real domain is bought. ${page.clock}`,
    branded,
    content: html`<header class="top">
${branded && html`<p class="brand">${brandMark(branded)}</p>`}
<p class="kicker">Domain purchase</p>
<h1>${unicode}</h1>
${asciiLine(found.domain)}
</header>
${done && notice({ tone: 'good', content: done, focus: true })}
${fault && notice({ tone: 'bad', id: 'fault', content: fault.message, focus: true })}
<section class="card standing ${order?.isOver ? 'over' : tone(found)}" aria-labelledby="standing">
<h2 id="standing">${title}</h2>
<p>${text}</p>
${!order?.isOver && steps(found)}
</section>
<section class="card" aria-labelledby="money">
<h2 id="money">Budget and offers</h2>
${money(found)}
${documentLinks(documents, (kind) => `/brokerage/${found.id}/documents/${kind}?pt=${encodeURIComponent(token)}`)}
</section>
${agreedPrice(found) && !isGone && !review && payment(page)}
${canBuyerChange(found) && standingOffer(found) && offer(page)}
${canBuyerChange(found) && actions(page)}
${found.tier === 'managed' && isOpenCase(found.status) && html`<p class="aside">Your broker contacts you by email. Reply there to change your budget or cancel.</p>`}
${found.tier === 'self_serve' && found.status === 'AGREED' && html`<p class="aside">${found.latestOffer && !isGone ? 'The owner has agreed to this price. ' : ''}Contact our brokers to change anything.</p>`}
<section class="card" aria-labelledby="story">
<h2 id="story">History</h2>
<ol class="story" reversed>
${timeline.toReversed().map((entry) => html`<li><p>${entryText(entry)}</p>${instant(entry.at)}</li>`)}
</ol>
</section>
<footer>${branded && brandLinks(branded)}<p>Anyone with the link to this page can act for you. Don’t share it.</p></footer>`,
  });
}

function tone(found: BrokerageCase): string {
  if (found.status === 'AGREED' || found.status === 'COMPLETED') return 'good';
  return isOpenCase(found.status) ? 'open' : 'over';
}

/** Returns the steps of the case; false if the case ended without a deal. */
function steps(found: BrokerageCase): Markup | false {
  const at = STEPS.findIndex(({ status }) => status === found.status);
  if (at === -1) return false;
  const items = STEPS.map(({ title }, index) => {
    const reached = index < at || found.status === 'COMPLETED';
    const here = index === at;
    return html`<li${reached && html` class="reached"`}${here && html` aria-current="step"`}><span>${title}</span>${reached && !here && html`<span class="unseen"> (done)</span>`}</li>`;
  });
  return html`<ol class="steps">${items}</ol>`;
}

function money(found: BrokerageCase): Markup {
  const amount = (each: Money | null) => each && formatMoney(each);
  return descriptionList([
    ['Your budget', amount(found.budget)],
    [
      agreedPrice(found) ? 'Agreed price' : 'Latest offer',
      found.dealPrice === null && amount(found.latestOffer),
    ],
    ['Price paid', amount(found.dealPrice)],
  ]);
}

function actionOf({ found, token }: ProgressPage, name: string): string {
  return `/brokerage/${found.id}/${name}?pt=${encodeURIComponent(token)}`;
}

/** Returns the link to the payment page, once the price is agreed. */
function payment(page: ProgressPage): Markup {
  const price = formatMoney(agreedPrice(page.found) as Money);
  return html`<section class="card" aria-labelledby="pay">
<h2 id="pay">Pay for your domain</h2>
<p>The price is ${price}. The transfer starts after you pay.</p>
<form method="post" action="${actionOf(page, 'pay')}">
<button class="primary" type="submit">Pay ${price}</button>
</form>
</section>`;
}

/** Returns the owner's offer: accept, counter, or decline. The forms send back which offer was shown. */
function offer(page: ProgressPage): Markup {
  const { found, fault } = page;
  const asked = standingOffer(found) as Money;
  const shown = html`<input type="hidden" name="offer" value="${asked.amount}">`;
  const above = asked.amount > found.budget.amount;
  return html`<section class="card" aria-labelledby="offer">
<h2 id="offer">The owner offers ${formatMoney(asked)}</h2>
<p>${above ? `This is above your budget of ${formatMoney(found.budget)}.` : 'This is within your budget.'} If you accept, you can pay right away.</p>
<form method="post" action="${actionOf(page, 'accept')}">${shown}
<button class="primary" type="submit">Accept ${formatMoney(asked)}</button>
</form>
<form class="raise" method="post" action="${actionOf(page, 'counter')}">
${inputField({
  name: 'counter',
  label: `Your counteroffer (${found.budget.currency})`,
  required: true,
  value: fault?.field === 'offer' ? fault.typed : undefined,
  invalid: fault?.field === 'offer',
  describedBy: fault?.field === 'offer' && 'fault',
  attributes: { inputmode: 'decimal', autocomplete: 'off', maxlength: 30 },
})}
<button type="submit">Send counteroffer</button>
</form>
<form method="post" action="${actionOf(page, 'decline')}">${shown}
<button type="submit">Decline</button>
</form>
</section>`;
}

function actions(page: ProgressPage): Markup {
  const { found, fault } = page;
  return html`<section class="card" aria-labelledby="actions">
<h2 id="actions">What you can do</h2>
<form class="raise" method="post" action="${actionOf(page, 'budget')}">
${inputField({
  name: 'budget',
  label: `New budget (${found.budget.currency})`,
  hint: 'A higher budget can help us reach a deal. We never pay more than we need to.',
  required: true,
  value: fault?.field === 'budget' ? fault.typed : undefined,
  invalid: fault?.field === 'budget',
  describedBy: fault?.field === 'budget' && 'fault',
  attributes: {
    inputmode: 'decimal',
    autocomplete: 'off',
    maxlength: 30,
    placeholder: decimalAmount(found.budget),
  },
})}
<button class="primary" type="submit">Raise budget</button>
</form>
<details${fault?.field === 'confirm' && html` open`}>
<summary>Cancel the request</summary>
<form method="post" action="${actionOf(page, 'cancel')}">
${checkbox({
  name: 'confirm',
  value: 'yes',
  label: `Yes, stop looking for ${unicodeOf(found.domain)}`,
  required: true,
  describedBy: fault?.field === 'confirm' && 'fault',
})}
<p class="hint">This cannot be undone. A new request starts from the beginning.</p>
<button type="submit" class="danger">Cancel the request</button>
</form>
</details>
</section>`;
}

/** The steps of a successful case, as the buyer sees them. */
const STEPS: readonly { status: CaseStatus; title: string }[] = [
  { status: 'OPEN', title: 'Request received' },
  { status: 'CONTACTING_OWNER', title: 'Contacting the owner' },
  { status: 'NEGOTIATING', title: 'Negotiating' },
  { status: 'AGREED', title: 'Price agreed' },
  { status: 'COMPLETED', title: 'Bought' },
];

/** The case status, as a title and a sentence or two. */
const STATUS_TEXT: Record<CaseStatus, { title: string; text: string }> = {
  OPEN: {
    title: 'We have your request',
    text: 'A broker will find the owner of the domain. You don’t need to do anything.',
  },
  CONTACTING_OWNER: {
    title: 'We are contacting the owner',
    text: 'Owners often take days to answer, and some never do. We keep trying and post updates here.',
  },
  NEGOTIATING: {
    title: 'We are negotiating the price',
    text: 'The owner has answered. We are negotiating a price within your budget.',
  },
  AGREED: {
    title: 'Price agreed',
    text: 'The owner agreed to sell. The next step is the payment.',
  },
  COMPLETED: {
    title: 'You bought the domain',
    text: 'The deal is closed, and the domain is on its way to you.',
  },
  CLOSED_NO_DEAL: {
    title: 'No deal was possible',
    text: 'There was no deal in the end, so we closed your request. You pay nothing.',
  },
  CANCELLED: {
    title: 'Your request is canceled',
    text: 'We have stopped working on it.',
  },
};

const BOUGHT = { title: 'You bought the domain' };
const TAKEN_BACK = {
  title: 'This purchase was reversed',
  text: 'You will not get the domain, and we are refunding your payment.',
  isOver: true,
};
const GONE = {
  title: 'Someone else bought the domain',
  text: 'You can no longer buy it. You were not charged.',
  isOver: true,
};
const REVIEW_TEXT: Record<
  NonNullable<DealReview>,
  { title: string; text: string; isOver?: boolean }
> = {
  in_review: {
    title: 'We are reviewing your purchase',
    text: 'You have not been charged. Come back here to see when you can pay.',
  },
  declined: {
    title: 'We could not approve your purchase',
    text: 'You have not been charged. If you still want the domain, contact our brokers.',
    isOver: true,
  },
};
const DELIVERED = { ...BOUGHT, text: 'The deal is closed, and the domain was delivered.' };

/** What the buyer sees for order statuses other than an order that is simply in progress. */
const ORDER_TEXT: Partial<Record<OrderStatus, { title: string; text: string; isOver?: boolean }>> =
  {
    MANUAL_REVIEW: {
      ...BOUGHT,
      text: 'The deal is closed. We are checking the order before we transfer the domain.',
    },
    TRANSFER_COMPLETED: DELIVERED,
    SETTLED: DELIVERED,
    REFUNDED: TAKEN_BACK,
    CANCELLED: TAKEN_BACK,
  };

/** Describes a case's status. While the latest offer is above the budget, the text never says that it is within. */
function statusText({
  status,
  latestOffer,
  offerByBuyer,
  budget,
  tier,
}: Pick<BrokerageCase, 'status' | 'latestOffer' | 'offerByBuyer' | 'budget' | 'tier'>): {
  title: string;
  text: string;
} {
  if (status === 'AGREED' && latestOffer === null) {
    const { title } = STATUS_TEXT.AGREED;
    return { title, text: 'The owner agreed to sell. Our brokers will tell you how to pay.' };
  }
  if (status !== 'NEGOTIATING' || latestOffer === null) return STATUS_TEXT[status];
  const { title } = STATUS_TEXT.NEGOTIATING;
  if (offerByBuyer) {
    return { title, text: `We sent your offer of ${formatMoney(latestOffer)} to the owner.` };
  }
  if (latestOffer.amount <= budget.amount) return STATUS_TEXT[status];
  const offer = formatMoney(latestOffer);
  const next =
    tier === 'self_serve'
      ? 'You can raise your budget below. We keep negotiating.'
      : 'Your broker will ask you before going above your budget.';
  return {
    title,
    text: `The latest offer is ${offer}, which is above your budget of ${formatMoney(budget)}. ${next}`,
  };
}

type EntryText = (amount: string | null, entry: CaseEntry) => string;

/** What each event of a case's history tells the buyer, with its amount. */
const ENTRY_TEXT: Record<CaseEventName, EntryText> = {
  open: (amount) =>
    amount ? `We received your request, with a budget of ${amount}.` : 'We received your request.',
  contact_owner: (amount) => withOffer('We started contacting the owner.', amount),
  negotiate: (amount) =>
    amount ? `The latest offer is ${amount}.` : 'We started negotiating with the owner.',
  agree: (amount) => (amount ? `We agreed on a price of ${amount}.` : 'We agreed on a price.'),
  complete: (amount) =>
    amount ? `The domain was bought for ${amount}.` : 'The domain was bought.',
  close_no_deal: (amount) => withOffer('We closed the request without a deal.', amount),
  cancel: (_amount, { by }) =>
    by === 'buyer' ? 'You canceled the request.' : 'The request was canceled.',
  accept: (amount) => (amount ? `You accepted the offer of ${amount}.` : 'You accepted the offer.'),
  counter: (amount) => (amount ? `You offered ${amount}.` : 'You made a counteroffer.'),
  decline: (amount) =>
    amount ? `You declined the offer of ${amount}.` : 'You declined the offer.',
  raise_budget: (amount) =>
    amount ? `You raised your budget to ${amount}.` : 'You raised your budget.',
};

/** Describes one history entry to the buyer. */
function entryText(entry: CaseEntry): string {
  return ENTRY_TEXT[entry.event](entry.amount && formatMoney(entry.amount), entry);
}

function withOffer(sentence: string, amount: string | null): string {
  return amount ? `${sentence} The latest offer was ${amount}.` : sentence;
}

/** Returns the frame of every page under /brokerage. */
function progressLayout(page: {
  title: string;
  content: Markup;
  branded?: BrandedPage | false;
  testMode?: string | false;
}): string {
  return htmlDocument({
    title: page.title,
    styles: ['progress.css'],
    head: page.branded && brandStyles(page.branded.brand),
    bodyClass: page.branded ? 'branded' : undefined,
    testMode: page.testMode,
    content: html`<main>\n${page.content}\n</main>`,
  });
}
