import {
  DAY,
  formatDay,
  HOUR,
  MINUTE,
  SECOND,
  TIME_UNITS,
} from '../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoney, type Money, unnamedCurrency } from '../../../shared/platform/money.ts';
import { emptyValue } from './page-parts.ts';

const instants = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** `Nov 22, 2026, 09:30 UTC`. */
export function formatInstant(at: Date): string {
  return `${instants.format(at)} UTC`;
}

export { formatDay };

/** An instant with its exact time for programs. */
export function instant(at: Date): Markup {
  return html`<time datetime="${at.toISOString()}">${formatInstant(at)}</time>`;
}

/** An instant with how long ago, or how far ahead, it is. */
export function timestamp(at: Date | null, now: Date): Markup {
  if (at === null) return html`<span class="none">never</span>`;
  return html`${instant(at)} <span class="age">${relativeTime(at, now)}</span>`;
}

/** `3 h ago`, `in 2 d`, `now`. */
export function relativeTime(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const span = duration(Math.abs(ms));
  if (span === '0 s') return 'now';
  return ms > 0 ? `${span} ago` : `in ${span}`;
}

/** The largest unit that fits: `3 h`. */
export function duration(ms: number): string {
  const [size, unit] = TIME_UNITS.find(([each]) => ms >= each) ?? [SECOND, 's'];
  return `${Math.floor(ms / size)} ${unit}`;
}

const LONG_UNITS: readonly [name: string, ms: number][] = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];

/** `6 days 23 hours`: the two largest units, in words. */
export function longDuration(ms: number): string {
  const first = LONG_UNITS.findIndex(([, size]) => ms >= size);
  if (first === -1) return 'less than a minute';
  return LONG_UNITS.slice(first, first + 2)
    .map(([unit, size], at) => {
      const [, larger] = LONG_UNITS[first + at - 1] ?? [];
      const count = Math.floor((at > 0 && larger ? ms % larger : ms) / size);
      return count === 0 ? '' : `${count} ${unit}${count === 1 ? '' : 's'}`;
    })
    .filter(Boolean)
    .join(' ');
}

/** `$4,850.00`; a minus stands before the sign. */
export function money(amount: Money | null): Markup {
  if (amount === null) return emptyValue();
  return html`<span class="money">${formatMoney(amount)}</span>${
    amount.currency !== 'USD' &&
    unnamedCurrency(amount).map((code) => html` <abbr class="age">${code}</abbr>`)
  }`;
}

/** Basis points as a percentage: `12.5%`. */
export function percent(bps: number): string {
  return `${bps / 100}%`;
}

/** `TRANSFER_IN_PROGRESS` as `Transfer in progress`. */
export function humanize(name: string): string {
  const spaced = name.replaceAll('_', ' ').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The same path with a query of what is given; nothing of what is null. */
export function pathWith(path: string, query: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) text.set(name, String(value));
  }
  return text.size === 0 ? path : `${path}?${text}`;
}
