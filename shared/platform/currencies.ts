import * as published from 'dinero.js/currencies';

/**
 * Decimal digits of the minor unit, by code. The package says that the ariary and the ouguiya have five minor units, as
 * they do; ISO 4217, and so everyone who sends money, writes them with two digits.
 */
const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.values(published).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2]),
);

/** Every ISO 4217 currency for money, without metals and test codes. */
export const CURRENCIES: readonly string[] = [...DIGITS.keys()];

/** Returns whether this is a currency code of ISO 4217, in upper case. */
export function isCurrency(code: string): boolean {
  return DIGITS.has(code);
}

/** The `validation_error` message for an invalid currency code. */
export const INVALID_CURRENCY = 'must be a currency code of ISO 4217, such as USD';

/**
 * Returns the decimal digits of a currency's minor unit by ISO 4217: 2 for USD, 0 for JPY, 3 for KWD. `Intl` has the
 * digits of everyday prices instead, and they differ between Node versions. Returns 2 for a code that was withdrawn
 * after an amount was stored.
 */
export function minorDigits(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Returns a locale's format for a currency, with the digits of {@link minorDigits} unless `options` differ. */
export function currencyFormat(
  locale: string,
  currency: string,
  options: Intl.NumberFormatOptions = {},
): Intl.NumberFormat {
  const key = `${locale} ${currency} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const digits = minorDigits(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    ...options,
  });
  formats.set(key, format);
  return format;
}
