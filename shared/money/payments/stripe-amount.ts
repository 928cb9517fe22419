import { minorDigits } from '../../platform/currencies.ts';
import { invalid } from '../../platform/errors.ts';
import { type Cents, Money } from '../../platform/money.ts';

/** Currencies that Stripe counts in whole units (docs.stripe.com/currencies, zero-decimal currencies). */
const WHOLE_UNITS = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');

/** Currencies in thousandths, of which the last digit must be 0 (three-decimal currencies). */
const THOUSANDTHS = 'BHD JOD KWD OMR TND'.split(' ');

/** Stripe's number of decimals by currency; two for every other one. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...WHOLE_UNITS.map((code) => [code, 0] as const),
  ...THOUSANDTHS.map((code) => [code, 3] as const),
]);

/** How many final digits must be 0. Whole ISK and UGX amounts are given in hundredths (special cases). */
const ZEROS: ReadonlyMap<string, number> = new Map([
  ...THOUSANDTHS.map((code) => [code, 1] as const),
  ['ISK', 2],
  ['UGX', 2],
]);

/**
 * Converts our minor units to Stripe's; undefined for an amount that Stripe cannot express exactly, such as a fraction
 * of an ariary. HUF and TWD need no special case: Stripe accepts hundredths in charges and transfers, and rounds only
 * payouts from a balance to a bank, leaving the remainder in the balance.
 */
export function stripeAmount({ amount, currency }: Money): Cents | undefined {
  const theirs = scaled(amount, stripeDigits(currency) - minorDigits(currency));
  const step = 10 ** (ZEROS.get(currency) ?? 0);
  return Number.isSafeInteger(theirs) && theirs % step === 0 ? theirs : undefined;
}

/** Converts Stripe's amount to ours. @throws validation_error if it is not a whole number of our minor units */
export function ourAmount(theirs: number, currency: string): Money {
  const code = currency.toUpperCase();
  const amount = scaled(theirs, minorDigits(code) - stripeDigits(code));
  if (Number.isSafeInteger(amount)) return new Money(amount, code);
  throw invalid([{ path: '/data/object/amount', message: `is no amount of ${code}` }]);
}

/** Scales by a power of ten. Divides instead of multiplying by a fraction that binary numbers cannot represent. */
function scaled(amount: number, digits: number): number {
  return digits < 0 ? amount / 10 ** -digits : amount * 10 ** digits;
}

function stripeDigits(currency: string): number {
  return DIGITS.get(currency) ?? 2;
}
