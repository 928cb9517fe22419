import type { Tld } from '../../market/tlds/tld.ts';
import { dayOf } from '../../platform/clock.ts';
import { Money } from '../../platform/money.ts';

/** The longest that any registry renews for at once. */
export const MAX_RENEW_YEARS = 10;

/** The day on which a domain ends when it is renewed for so many years. */
export function expiryAfter(expiresAt: Date, years: number): Date {
  const after = new Date(expiresAt);
  after.setUTCFullYear(expiresAt.getUTCFullYear() + years);
  return after;
}

/** Why a domain cannot be renewed for so many years by the rules of its TLD, in words for its owner. */
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

/** What a renewal costs at the prices of the TLD, which are for its shortest term: null for no multiple of it. */
export function renewalPrice(years: number, tld: Tld | undefined): Money | null {
  const price = tld?.priceCents.renew ?? null;
  if (!tld || price === null || years % tld.minYears !== 0) return null;
  return new Money(price * (years / tld.minYears), 'USD');
}

/** `1 year`, `3 years`. */
export function yearsOf(count: number): string {
  return count === 1 ? '1 year' : `${count} years`;
}
