import { domainToUnicode } from 'node:url';
import * as currencies from 'dinero.js/currencies';
import { html, type Markup } from './html.ts';

/** `$4,850` for 485000 cents; cents are shown where there are any. */
export function money(cents: number, currency: string): string {
  const style = { style: 'currency', currency } as const;
  // How many minor units make a whole is the affair of ISO 4217: 100 for USD and HUF, 1 for JPY. `Intl` says otherwise.
  const found = Object.values(currencies).find(({ code }) => code === currency);
  const digits = found?.base === 10 ? found.exponent : 2;
  const whole = cents % 10 ** digits === 0;
  return new Intl.NumberFormat('en-US', {
    ...style,
    minimumFractionDigits: whole ? 0 : digits,
    maximumFractionDigits: digits,
  }).format(cents / 10 ** digits);
}

/** The name as people read it: the API speaks A-labels, `xn--caf-dma.com` for `café.com`. */
export function readable(domain: string): string {
  return domainToUnicode(domain) || domain;
}

/** The same for a heading: the ending stands back a little. */
export function nameplate(domain: string): Markup {
  const name = readable(domain);
  const dot = name.indexOf('.');
  // Long names may break before the dot.
  return html`<span class="sld">${name.slice(0, dot)}</span><wbr><span class="tld">${name.slice(dot)}</span>`;
}

/** `09:30:12 UTC` */
export function clockTime(at: string): Markup {
  return html`<time datetime="${at}">${at.slice(11, 19)} UTC</time>`;
}

/** `9:59` */
export function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Where a search and its results are; the front page for no search. */
export function searchUrl(query: string): string {
  return query === '' ? '/' : `/?q=${encodeURIComponent(query)}`;
}
