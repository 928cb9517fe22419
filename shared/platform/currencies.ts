import * as published from 'dinero.js/currencies';

/**
 * Decimal digits of the minor unit, by code. The package gives the ariary and the ouguiya as what they are, five
 * parts of one; ISO 4217 writes them with two digits, and so does everybody who sends money.
 */
const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.values(published).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2]),
);

/** Every currency of ISO 4217 that money can be in: neither metals nor codes for tests. */
export const CURRENCIES: readonly string[] = [...DIGITS.keys()];

/** Returns whether this is a currency code of ISO 4217, in upper case. */
export function isCurrency(code: string): boolean {
  return DIGITS.has(code);
}

/** The `validation_error` message for an invalid currency code. */
export const INVALID_CURRENCY = 'must be a currency code of ISO 4217, such as USD';

/**
 * Decimal digits of a currency's minor unit by ISO 4217: 2 for USD, 0 for JPY, 3 for KWD. Never asked of `Intl`, whose
 * digits are those of everyday prices and differ from one Node to the next. Two for a code that was withdrawn since
 * an amount was stored.
 */
export function minorDigits(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}

const formats = new Map<string, Intl.NumberFormat>();

/** How a locale writes amounts of a currency, with the digits of {@link minorDigits} unless `options` say otherwise. */
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
