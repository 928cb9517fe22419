import { domainToUnicode } from 'node:url';
import * as currencies from 'dinero.js/currencies';
import { html, type Markup } from './html.ts';

/** Formats a price: `$4,850` for 485000 cents. Shows cents only if there are any. */
export function money(cents: number, currency: string): string {
  const style = { style: 'currency', currency } as const;
  // ISO 4217 defines the minor units: 100 make one USD or HUF, 1 makes one JPY. `Intl` differs for some currencies.
  const found = Object.values(currencies).find(({ code }) => code === currency);
  const digits = found?.base === 10 ? found.exponent : 2;
  const whole = cents % 10 ** digits === 0;
  return new Intl.NumberFormat('en-US', {
    ...style,
    minimumFractionDigits: whole ? 0 : digits,
    maximumFractionDigits: digits,
  }).format(cents / 10 ** digits);
}

/** Returns the name for people. The API uses A-labels: `xn--caf-dma.com` for `café.com`. */
export function readable(domain: string): string {
  return domainToUnicode(domain) || domain;
}

/** Like {@link readable}, for a heading: shows the suffix less prominently. */
export function nameplate(domain: string): Markup {
  const name = readable(domain);
  const dot = name.indexOf('.');
  // Long names may break before the dot.
  return html`<span class="sld">${name.slice(0, dot)}</span><wbr><span class="tld">${name.slice(dot)}</span>`;
}

/** Formats a time: `09:30:12 UTC`. */
export function clockTime(at: string): Markup {
  return html`<time datetime="${at}">${at.slice(11, 19)} UTC</time>`;
}

/** Formats a countdown: `9:59`. */
export function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns the path of a search's results, or of the front page without a search. */
export function searchUrl(query: string): string {
  return query === '' ? '/' : `/?q=${encodeURIComponent(query)}`;
}
