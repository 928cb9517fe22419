import type { SessionForPage } from '../../../shared/checkout/read-session.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { formatMoney } from '../../../shared/platform/money.ts';
import { html, type Markup } from '../html.ts';

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
