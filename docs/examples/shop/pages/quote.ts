import { clockTime, minutes, money, nameplate } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { Purchase } from '../purchases.ts';
import { layout } from './layout.ts';

/**
 * The name, its price, and how long that stands. Both states are in the page, so that the browser can turn
 * from one to the other without asking; `now` decides with which it begins.
 */
export function quotePage(purchase: Purchase, now: number, unpaid: boolean): string {
  const { id, quote, quotedAt, query } = purchase;
  const expiresAt = Date.parse(quote.expires_at);
  const left = Math.max(0, expiresAt - now);
  const price = money(quote.price_cents, quote.currency);
  return layout({
    title: quote.domain,
    query,
    main: html`<div class="pair">
<section class="plate">
<p class="kind">Your name</p>
<h1 class="name">${nameplate(quote.domain)}</h1>
<p class="small">Sold by its owner through the marketplace, and moved to you within days. Here in the sandbox it takes seconds.</p>
</section>
<section class="panel" data-quote data-left="${left}" data-whole="${expiresAt - quotedAt}">
<p role="status" class="unseen" data-says></p>
<div data-while="held" ${attribute('hidden', left === 0)}>
${unpaid && html`<p class="note">No payment was made, and nothing was charged. The name is still held for you.</p>`}
<div class="quote">
<div>
<h2 class="kind">Your price</h2>
<p class="price">${price}</p>
<p class="small">Stands until ${clockTime(quote.expires_at)}</p>
</div>
${countdown(left)}
</div>
<form action="/purchases/${id}/pay" method="post">
<button class="large" data-busy="Opening the checkout …">Pay ${price}</button>
</form>
${testCards()}
</div>
<div data-while="expired" ${attribute('hidden', left > 0)}>
<h2>This price has run out</h2>
<p>${price} was held for ten minutes. Ask again: as a rule it is the same, and the name is still there.</p>
<form action="/purchases/${id}/quote" method="post">
<button class="large" data-busy="Asking …">Get a new quote</button>
</form>
</div>
<form action="/purchases/${id}/leave" method="post">
<button class="link">Choose another name</button>
</form>
</section>
</div>`,
  });
}

/** The price is not the quoted one any more. The buyer hears of it before paying, not after. */
export function priceChangedPage(purchase: Purchase, next: { price: string; url: string }): string {
  const { quote, query, id } = purchase;
  return layout({
    title: 'The price has changed',
    query,
    main: html`<section class="message">
<h1>The price has changed</h1>
<p class="name">${nameplate(quote.domain)}</p>
<p>We showed you <s>${money(quote.price_cents, quote.currency)}</s>. Its owner asks <strong>${next.price}</strong> now. Nothing was charged.</p>
<p><a class="button large" href="${next.url}">Continue at ${next.price}</a></p>
<form action="/purchases/${id}/leave" method="post">
<button class="link">Choose another name</button>
</form>
</section>`,
  });
}

/** Read out once a minute by the browser's script, not every second: see `data-says`. */
function countdown(left: number): Markup {
  return html`<p class="countdown">
<svg viewBox="0 0 120 120" aria-hidden="true"><circle class="track" cx="60" cy="60" r="54" pathLength="100"/><circle class="rest" cx="60" cy="60" r="54" pathLength="100" stroke-dasharray="100" stroke-dashoffset="0" data-ring/></svg>
<span class="digits"><span role="timer" data-digits>${minutes(left)}</span><span class="small">left</span></span>
</p>`;
}

function testCards(): Markup {
  return html`<details class="small">
<summary>Test cards</summary>
<dl>
<div><dt>4242 4242 4242 4242</dt><dd>pays</dd></div>
<div><dt>4000 0000 0000 0002</dt><dd>is declined</dd></div>
<div><dt>4000 0025 0000 3155</dt><dd>asks to confirm</dd></div>
</dl>
<p>With any date to come and any three digits.</p>
</details>`;
}

function attribute(name: string, on: boolean): Markup {
  return { markup: on ? name : '' };
}
