import { minorDigits } from '../../platform/currencies.ts';
import { invalid } from '../../platform/errors.ts';
import { type Cents, Money } from '../../platform/money.ts';

/** Stripe counts these in whole units (docs.stripe.com/currencies, zero-decimal currencies). */
const WHOLE_UNITS = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');

/** In thousandths, of which the last digit must be 0 (three-decimal currencies). */
const THOUSANDTHS = 'BHD JOD KWD OMR TND'.split(' ');

/** Stripe's digits, by code; two for every other currency. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...WHOLE_UNITS.map((code) => [code, 0] as const),
  ...THOUSANDTHS.map((code) => [code, 3] as const),
]);

/** The last digits that must be 0: whole crowns and shillings are told in hundredths (special cases). */
const ZEROS: ReadonlyMap<string, number> = new Map([
  ...THOUSANDTHS.map((code) => [code, 1] as const),
  ['ISK', 2],
  ['UGX', 2],
]);

/**
 * Our minor units as Stripe's; undefined for an amount that Stripe cannot carry exactly, such as a fraction of an
 * ariary. HUF and TWD need no care here: Stripe takes their hundredths in charges and transfers, and rounds only what
 * it pays from a balance to a bank, where the rest stays.
 */
export function stripeAmount({ amount, currency }: Money): Cents | undefined {
  const theirs = scaled(amount, stripeDigits(currency) - minorDigits(currency));
  const step = 10 ** (ZEROS.get(currency) ?? 0);
  return Number.isSafeInteger(theirs) && theirs % step === 0 ? theirs : undefined;
}

/** Stripe's amount as ours. @throws validation_error for one that is no whole number of our minor units */
export function ourAmount(theirs: number, currency: string): Money {
  const code = currency.toUpperCase();
  const amount = scaled(theirs, minorDigits(code) - stripeDigits(code));
  if (Number.isSafeInteger(amount)) return new Money(amount, code);
  throw invalid([{ path: '/data/object/amount', message: `is no amount of ${code}` }]);
}

/** Divided rather than multiplied by a fraction, which binary numbers don't have. */
function scaled(amount: number, digits: number): number {
  return digits < 0 ? amount / 10 ** -digits : amount * 10 ** digits;
}

function stripeDigits(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}
