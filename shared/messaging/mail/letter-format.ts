import { formatDay, formatInstant } from '../../platform/clock.ts';
import { currencyFormat } from '../../platform/currencies.ts';
import { type Cents, decimalAmount } from '../../platform/money.ts';

/** Formats for mail: money as in the recipient's region, English text, and dates as on our pages. */
export interface LetterFormat {
  money(amount: { amount: Cents; currency: string }): string;
  /** Formats an ISO 8601 instant: `Nov 22, 2026, 09:30 UTC`. */
  instant(iso: string): string;
  /** Formats the UTC day of an ISO 8601 instant: `Nov 22, 2026`. */
  day(iso: string): string;
  number(value: number): string;
}

/** Returns the English locale for a country (ISO 3166-1 alpha-2); US English for none. */
export function localeOf(country: string | null | undefined): string {
  return country && /^[A-Z]{2}$/.test(country) ? `en-${country}` : 'en-US';
}

/** Returns the formats of a locale. */
export function letterFormat(locale: string): LetterFormat {
  return {
    money: (amount) => currencyFormat(locale, amount.currency).format(decimalAmount(amount)),
    instant: (iso) => formatInstant(new Date(iso)),
    day: (iso) => formatDay(new Date(iso)),
    number: (value) => new Intl.NumberFormat(locale).format(value),
  };
}
