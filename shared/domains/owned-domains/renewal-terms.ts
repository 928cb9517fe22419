import type { Tld } from '../../market/tlds/tld.ts';
import { dayOf } from '../../platform/clock.ts';
import { Money } from '../../platform/money.ts';

/** The longest renewal term of any registry. */
export const MAX_RENEW_YEARS = 10;

/** Returns the expiry of a domain after a renewal by `years`. */
export function expiryAfter(expiresAt: Date, years: number): Date {
  const after = new Date(expiresAt);
  after.setUTCFullYear(expiresAt.getUTCFullYear() + years);
  return after;
}

/** Returns why a TLD's rules do not allow a renewal by `years`, worded for the owner. */
export function renewalFault(
  years: number,
  {
    tld,
    expiresAt,
    rules,
    now,
  }: { tld: string; expiresAt: Date; rules: Tld | undefined; now: Date },
): string | undefined {
  const [min, max] = [rules?.minYears ?? 1, rules?.maxYears ?? MAX_RENEW_YEARS];
  if (years < min || years > max) {
    const terms = min === max ? yearsOf(min) : `${min} to ${yearsOf(max)}`;
    return `.${tld} is renewed for ${terms}.`;
  }
  return expiryAfter(expiresAt, years) > expiryAfter(now, max)
    ? `.${tld} runs for ${yearsOf(max)} at most; it expires ${dayOf(expiresAt)} now.`
    : undefined;
}

/** Returns the price of a renewal. The TLD's price is for its shortest term; null if `years` is no multiple of it. */
export function renewalPrice(years: number, tld: Tld | undefined): Money | null {
  const price = tld?.priceCents.renew ?? null;
  if (!tld || price === null || years % tld.minYears !== 0) return null;
  return new Money(price * (years / tld.minYears), 'USD');
}

/** Formats a number of years: `1 year`, `3 years`. */
export function yearsOf(count: number): string {
  return count === 1 ? '1 year' : `${count} years`;
}
