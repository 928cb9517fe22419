import { currencyFormat } from '../../platform/currencies.ts';
import { type Cents, decimalAmount } from '../../platform/money.ts';

/** Money and dates as the recipient's region writes them; the language of mails is English. */
export interface LetterFormat {
  money(amount: { amount: Cents; currency: string }): string;
  /** Of an ISO 8601 instant: the day and the time in UTC. */
  instant(iso: string): string;
  /** Of an ISO 8601 instant: the day in UTC. */
  day(iso: string): string;
  number(value: number): string;
}

/** English as a country (ISO 3166-1 alpha-2) writes figures and dates; that of the United States for none. */
export function localeOf(country: string | null | undefined): string {
  return country && /^[A-Z]{2}$/.test(country) ? `en-${country}` : 'en-US';
}

/** How a locale writes money and dates. */
export function letterFormat(locale: string): LetterFormat {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const instant = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return {
    money: (amount) => currencyFormat(locale, amount.currency).format(decimalAmount(amount)),
    instant: (iso) => `${instant.format(new Date(iso))} UTC`,
    day: (iso) => day.format(new Date(iso)),
    number: (value) => new Intl.NumberFormat(locale).format(value),
  };
}
