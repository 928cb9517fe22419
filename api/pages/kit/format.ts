import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { html, type Markup } from './html.ts';

/** An instant in UTC with how long ago, or how far ahead, it is. */
export function timestamp(at: Date | null, now: Date): Markup {
  if (at === null) return html`<span class="none">never</span>`;
  const iso = at.toISOString();
  const shown = `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
  return html`<time datetime="${iso}">${shown}</time> <span class="age">${relativeTime(at, now)}</span>`;
}

/** A day in UTC. */
export function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}

const UNITS = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
] as const;

/** `3 h ago`, `in 2 d`, `now`. */
export function relativeTime(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const span = duration(Math.abs(ms));
  if (span === '0 s') return 'now';
  return ms > 0 ? `${span} ago` : `in ${span}`;
}

/** The largest unit that fits: `3 h`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? [SECOND, 's'];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** `$4,850.00`; a minus stands before the sign. */
export function money(amount: Money | null): Markup {
  if (amount === null) return emptyValue();
  return html`<span class="money">${formatMoney(amount)}</span>${
    amount.currency !== 'USD' && html` <abbr class="age">${amount.currency}</abbr>`
  }`;
}

/** Basis points as a percentage. */
export function percent(bps: number): string {
  return `${bps / 100} %`;
}

const GOOD = new Set([
  'active',
  'completed',
  'delivered',
  'paid',
  'settled',
  'transfer_completed',
  'ok',
]);
const BAD = new Set([
  'failed',
  'exhausted',
  'revoked',
  'suspended',
  'disabled',
  'failing',
  'dead',
  'overdue',
  'off',
]);
const WAITING = new Set([
  'manual_review',
  'action_required',
  'awaiting_confirmation',
  'agreed',
  'externally_paid',
  'closed',
  'pending',
]);

/** A status as a word with a colour; the word alone says it all. */
export function badge(status: string): Markup {
  const key = status.toLowerCase();
  const tone = GOOD.has(key) ? 'good' : BAD.has(key) ? 'bad' : WAITING.has(key) ? 'wait' : 'calm';
  return html`<span class="badge ${tone}">${humanize(status)}</span>`;
}

/** `TRANSFER_IN_PROGRESS` as `Transfer in progress`. */
export function humanize(name: string): string {
  const spaced = name.replaceAll('_', ' ').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** LIVE stands out, since mistakes there cost money. */
export function environmentTag(environment: string): Markup {
  return html`<span class="env ${environment === 'LIVE' && 'live'}">${environment}</span>`;
}

export function emptyValue(): Markup {
  return html`<span class="none" aria-label="none">–</span>`;
}

export function orderPath(id: string): string {
  return `/ops/orders/${encodeURIComponent(id)}`;
}

export function partnerPath(id: string): string {
  return `/ops/partners/${encodeURIComponent(id)}`;
}

export function personPath(id: string): string {
  return `/ops/people/${encodeURIComponent(id)}`;
}

export function endpointPath(owner: { environment: string; partnerId: string }): string {
  return `/ops/webhooks/${owner.environment}/${encodeURIComponent(owner.partnerId)}`;
}

export function settlementPath(id: string): string {
  return `/ops/settlements/${encodeURIComponent(id)}`;
}

export function auditPath(subject: string): string {
  return `/ops/audit?subject=${encodeURIComponent(subject)}`;
}

/** A link whose text is put in as text. */
export function link(href: string, text: string): Markup {
  return html`<a href="${href}">${text}</a>`;
}

/** The same path with a query of what is given; nothing of what is null. */
export function pathWith(path: string, query: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) text.set(name, String(value));
  }
  return text.size === 0 ? path : `${path}?${text}`;
}
