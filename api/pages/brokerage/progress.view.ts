import type { BrokerageCase, CaseEntry } from '../../../shared/brokerage/brokerage-case.ts';
import { canBuyerChange, isOpenCase } from '../../../shared/brokerage/case-states.ts';
import { parseDomain } from '../../../shared/inventory/domain-name.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { html, type Markup } from '../html.ts';
import { amountFieldValue } from './budget-form.ts';
import { entryText, STEPS, statusText } from './case-words.ts';
import { progressLayout } from './layout.ts';

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
