import { parseDomain } from '../../../shared/market/inventory/domain-name.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import {
  type BrokerageCase,
  type CaseEntry,
  type CaseStatus,
  canBuyerChange,
  isOpenCase,
} from '../../../shared/sales/brokerage/brokerage-case.ts';
import { assetPath } from '../kit/assets.ts';
import { amountFieldValue } from '../kit/form.ts';
import { html, type Markup } from '../kit/html.ts';

export interface ProgressPage {
  found: BrokerageCase;
  timeline: readonly CaseEntry[];
  /** Signed; every form of the page sends it back. */
  token: string;
  /** What was just done. */
  done?: string | undefined;
  /** Why the last form was refused, and what was typed into it. */
  fault?: { field: 'budget' | 'confirm' | null; message: string; typed?: string } | undefined;
}

/** The page of one case: where it stands, the money, what the buyer can do, and what has happened. */
export function progressPage(page: ProgressPage): string {
  const { found, timeline, done, fault } = page;
  const { unicode } = parseDomain(found.domain);
  const { title, text } = statusText(found);
  return progressLayout({
    title: `${title}: ${unicode}`,
    sandbox: found.environment === 'SANDBOX',
    content: html`<header class="top">
<p class="kicker">Domain purchase</p>
<h1>${unicode}</h1>
${unicode !== found.domain && html`<p class="ascii">${found.domain}</p>`}
</header>
${done && html`<p class="done" role="status" tabindex="-1" autofocus>${done}</p>`}
${fault && html`<p class="fault" role="alert" id="fault" tabindex="-1" autofocus>${fault.message}</p>`}
<section class="card standing ${tone(found)}" aria-labelledby="standing">
<h2 id="standing">${title}</h2>
<p>${text}</p>
${steps(found)}
</section>
<section class="card" aria-labelledby="money">
<h2 id="money">The money</h2>
${money(found)}
</section>
${canBuyerChange(found) && actions(page)}
${found.tier === 'managed' && isOpenCase(found.status) && html`<p class="aside">Your broker writes to you by e-mail. To change your budget or to stop, answer there.</p>`}
${found.tier === 'self_serve' && found.status === 'AGREED' && html`<p class="aside">The owner counts on the agreed price, so changes go through our brokers now.</p>`}
<section class="card" aria-labelledby="story">
<h2 id="story">What has happened</h2>
<ol class="story" reversed>
${timeline.toReversed().map((entry) => html`<li><p>${entryText(entry)}</p>${instant(entry.at)}</li>`)}
</ol>
</section>
<footer><p>This page has no password: whoever has its address can act for you. Keep it to yourself.</p></footer>`,
  });
}

function tone(found: BrokerageCase): string {
  if (found.status === 'AGREED' || found.status === 'COMPLETED') return 'good';
  return isOpenCase(found.status) ? 'open' : 'over';
}

/** How far it is; left out when the case ended without a deal. */
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
  const row = (name: string, amount: Money | null) =>
    amount !== null && html`<div><dt>${name}</dt><dd>${formatMoney(amount)}</dd></div>`;
  return html`<dl>
${row('Your budget', found.budget)}
${found.dealPrice === null && row('Latest offer', found.latestOffer)}
${row('Price paid', found.dealPrice)}
</dl>`;
}

function actions({ found, token, fault }: ProgressPage): Markup {
  const action = (name: string) => `/brokerage/${found.id}/${name}?pt=${encodeURIComponent(token)}`;
  const wrong = (field: string) =>
    fault?.field === field && html` aria-invalid="true" aria-describedby="fault"`;
  return html`<section class="card" aria-labelledby="actions">
<h2 id="actions">What you can do</h2>
<form method="post" action="${action('budget')}">
<label for="budget">Raise your budget to, in ${found.budget.currency}</label>
<div class="amount">
<input id="budget" name="budget" inputmode="decimal" autocomplete="off" required maxlength="30"
  placeholder="${amountFieldValue(found.budget)}" value="${fault?.typed}"${wrong('budget')}>
<button type="submit">Raise</button>
</div>
<p class="hint">A higher budget can bring an owner to the table. We never pay more than we must.</p>
</form>
<details${fault?.field === 'confirm' && html` open`}>
<summary>Cancel the request</summary>
<form method="post" action="${action('cancel')}">
<label class="check"><input type="checkbox" name="confirm" value="yes" required${wrong('confirm')}> Yes, stop looking for ${parseDomain(found.domain).unicode}</label>
<p class="hint">This cannot be undone. A new request starts from the beginning.</p>
<button type="submit" class="danger">Cancel the request</button>
</form>
</details>
</section>`;
}

const format = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

function instant(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${format.format(at)} UTC</time>`;
}

/** The way of a case that ends well, as the buyer sees it. */
export const STEPS: readonly { status: CaseStatus; title: string }[] = [
  { status: 'OPEN', title: 'Request received' },
  { status: 'CONTACTING_OWNER', title: 'Contacting the owner' },
  { status: 'NEGOTIATING', title: 'Negotiating' },
  { status: 'AGREED', title: 'Price agreed' },
  { status: 'COMPLETED', title: 'Bought' },
];

/** Where the case stands, in a few words and in a sentence or two. */
const STATUS_TEXT: Record<CaseStatus, { title: string; text: string }> = {
  OPEN: {
    title: 'We have your request',
    text: 'A broker will look for the owner of the domain. There is nothing that you need to do.',
  },
  CONTACTING_OWNER: {
    title: 'We are contacting the owner',
    text: 'Owners often take days to answer, and some never do. We keep trying and tell you here.',
  },
  NEGOTIATING: {
    title: 'We are talking about the price',
    text: 'The owner has answered. We are negotiating a price within your budget.',
  },
  AGREED: {
    title: 'A price is agreed',
    text: 'We are preparing the purchase and will contact you by e-mail with the next steps.',
  },
  COMPLETED: {
    title: 'The domain is bought',
    text: 'The deal is closed. The domain is on its way to you.',
  },
  CLOSED_NO_DEAL: {
    title: 'No deal was possible',
    text: 'We could not come to an agreement with the owner, and have closed your request.',
  },
  CANCELLED: {
    title: 'Your request is cancelled',
    text: 'We have stopped looking. Nothing more will happen.',
  },
};

/** Where a case stands. While the latest offer is above the budget, nobody is told that it is within. */
export function statusText({
  status,
  latestOffer,
  budget,
  tier,
}: Pick<BrokerageCase, 'status' | 'latestOffer' | 'budget' | 'tier'>): {
  title: string;
  text: string;
} {
  const above = latestOffer !== null && latestOffer.amount > budget.amount;
  if (status !== 'NEGOTIATING' || !above) return STATUS_TEXT[status];
  const offer = formatMoney(latestOffer);
  const next =
    tier === 'self_serve'
      ? 'You can raise your budget below. We keep negotiating.'
      : 'Your broker will ask you before going above your budget.';
  return {
    title: STATUS_TEXT.NEGOTIATING.title,
    text: `The latest offer is ${offer}, which is above your budget of ${formatMoney(budget)}. ${next}`,
  };
}

/** One step of the story, to the buyer. */
export function entryText(entry: CaseEntry): string {
  const amount = entry.amount && formatMoney(entry.amount);
  switch (entry.event) {
    case 'open':
      return amount ? `Your request came in, with a budget of ${amount}.` : 'Your request came in.';
    case 'contact_owner':
      return withPrice('We began to contact the owner.', amount);
    case 'negotiate':
      return amount
        ? `A price of ${amount} is on the table.`
        : 'We began to talk with the owner about the price.';
    case 'agree':
      return amount ? `A price was agreed: ${amount}.` : 'A price was agreed.';
    case 'complete':
      return amount ? `The domain was bought for ${amount}.` : 'The domain was bought.';
    case 'close_no_deal':
      return withPrice('We closed the request without a deal.', amount);
    case 'cancel':
      return entry.by === 'buyer' ? 'You cancelled the request.' : 'The request was cancelled.';
    case 'raise_budget':
      return amount ? `You raised your budget to ${amount}.` : 'You raised your budget.';
    default:
      return 'The request was updated.';
  }
}

function withPrice(sentence: string, amount: string | null): string {
  return amount ? `${sentence} The latest offer was ${amount}.` : sentence;
}

/** The frame of every page under /brokerage. It loads one style sheet of ours and nothing else. */
export function progressLayout(page: {
  title: string;
  content: Markup;
  sandbox?: boolean;
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('progress.css')}">
</head>
<body>
${page.sandbox && html`<aside class="sandbox" aria-label="Test mode"><strong>Test mode</strong> Nobody is contacted and no real domain is bought.</aside>`}
<main>
${page.content}
</main>
</body>
</html>
`.markup;
}

/** A page that says one thing: why there is nothing else to see. */
export function progressNotice(title: string, text: string): string {
  return progressLayout({
    title,
    content: html`<section class="card notice"><h1>${title}</h1><p>${text}</p></section>`,
  });
}
