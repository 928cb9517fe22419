import {
  DAY,
  formatDay,
  formatInstant,
  HOUR,
  MINUTE,
  SECOND,
} from '../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoney, type Money, unnamedCurrency } from '../../../shared/platform/money.ts';
import { emptyValue } from './page-parts.ts';
import type { PageNow } from './page-time.ts';

export { formatDay, formatInstant };

/** Returns an instant, with its exact time for programs. */
export function instant(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${formatInstant(at)}</time>`;
}

/** Returns an instant with how long ago, or how far ahead, it is. */
export function timestamp(at: Date | null, now: PageNow): Markup {
  if (at === null) return html`<span class="none">never</span>`;
  return html`${instant(at)} <span class="age">${relativeTime(at, now)}</span>`;
}

/** Formats a relative time: `3 hours ago`, `in 46 days`, `now`. */
export function relativeTime(at: Date, now: PageNow): string {
  const ms = now.getTime() - at.getTime();
  if (Math.abs(ms) < SECOND) return 'now';
  return ms > 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
}

const UNITS: readonly [name: string, ms: number][] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
];

/** Formats a duration in the largest unit that fits: `3 hours`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['second', SECOND];
  return countOf(Math.floor(ms / size), unit);
}

/** Formats a duration in the two largest units, down to minutes: `6 days 23 hours`. */
export function longDuration(ms: number): string {
  if (ms < MINUTE) return 'less than a minute';
  const [first = 0] = UNITS.flatMap(([, size], at) => (ms >= size ? [at] : []));
  return UNITS.slice(first, first + 2)
    .filter(([unit]) => unit !== 'second')
    .map(([unit, size], at) => {
      const [, larger] = UNITS[first + at - 1] ?? [];
      return countOf(Math.floor((at > 0 && larger ? ms % larger : ms) / size), unit);
    })
    .filter((part) => !part.startsWith('0 '))
    .join(' ');
}

function countOf(count: number, unit: string): string {
  return `${count.toLocaleString('en-US')} ${unit}${count === 1 ? '' : 's'}`;
}

/** Formats an amount: `$4,850.00`; a minus comes before the sign. */
export function money(amount: Money | null): Markup {
  if (amount === null) return emptyValue();
  return html`<span class="money">${formatMoney(amount)}</span>${
    amount.currency !== 'USD' &&
    unnamedCurrency(amount).map((code) => html` <abbr class="age">${code}</abbr>`)
  }`;
}

/** Formats basis points as a percentage: `12.5%`. */
export function percent(bps: number): string {
  return `${bps / 100}%`;
}

/** Converts `TRANSFER_IN_PROGRESS` to `Transfer in progress`, and `cancelled`, as the API spells it, to `Canceled`. */
export function humanize(name: string): string {
  const spaced = name.toLowerCase().replace(/[_-]/g, ' ').replace('cancelled', 'canceled');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The longest email address that fits into any column. */
const SHORT_EMAIL = 24;

/** Shows an email address; a long one can break after its `@` and its dots. */
export function emailText(address: string | null): Markup | string {
  if (address === null) return emptyValue();
  if (address.length <= SHORT_EMAIL) return address;
  const parts = address.split(/(?<=[@.])/);
  return html`<bdi dir="ltr">${parts.map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}</bdi>`;
}

/** Returns the path with the given query, without null values. */
export function pathWith(path: string, query: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) text.set(name, String(value));
  }
  return text.size === 0 ? path : `${path}?${text}`;
}
