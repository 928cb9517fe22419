import { clockTime, minutes, money, nameplate } from '../format.ts';
import { html, type Markup } from '../html.ts';
import type { Purchase } from '../purchases.ts';
import { layout } from './layout.ts';

/**
 * Returns the page of a quote: the name, its price, and how long the price is valid. The page also contains its expired
 * state, so that the browser can switch without a request; `now` decides which it shows first.
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
<p class="small">Its owner sells it through the marketplace, and it is transferred to you within days. In the sandbox it takes seconds.</p>
</section>
<section class="panel" data-quote data-left="${left}" data-whole="${expiresAt - quotedAt}">
<p role="status" class="unseen" data-says></p>
<div data-while="held" ${attribute('hidden', left === 0)}>
${unpaid && html`<p class="note">No payment was made, and nothing was charged. The name is still held for you.</p>`}
<div class="quote">
<div>
<h2 class="kind">Your price</h2>
<p class="price">${price}</p>
<p class="small">Valid until ${clockTime(quote.expires_at)}</p>
</div>
${countdown(left)}
</div>
<form action="/purchases/${id}/pay" method="post">
<button class="large" data-busy="Opening the checkout …">Pay ${price}</button>
</form>
${testCards()}
</div>
<div data-while="expired" ${attribute('hidden', left > 0)}>
<h2>This price has expired</h2>
<p>${price} was held for ten minutes. Ask again: as a rule it is the same, and the name is still there.</p>
<form action="/purchases/${id}/quote" method="post">
<button class="large" data-busy="Getting a quote …">Get a new quote</button>
</form>
</div>
<form action="/purchases/${id}/leave" method="post">
<button class="link">Choose another name</button>
</form>
</section>
</div>`,
  });
}

/** Returns the page for a changed price: the buyer learns of it before paying. */
export function priceChangedPage(purchase: Purchase, next: { price: string; url: string }): string {
  const { quote, query, id } = purchase;
  return layout({
    title: 'The price has changed',
    query,
    main: html`<section class="message">
<h1>The price has changed</h1>
<p class="name">${nameplate(quote.domain)}</p>
<p>We showed you <s>${money(quote.price_cents, quote.currency)}</s>. Its owner now asks <strong>${next.price}</strong>. Nothing was charged.</p>
<p><a class="button large" href="${next.url}">Continue at ${next.price}</a></p>
<form action="/purchases/${id}/leave" method="post">
<button class="link">Choose another name</button>
</form>
</section>`,
  });
}

/** The script reads it out once a minute instead of every second: see `data-says`. */
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
<p>Use any future date and any three digits.</p>
</details>`;
}

function attribute(name: string, on: boolean): Markup {
  return { markup: on ? name : '' };
}
