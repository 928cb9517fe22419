import type { Cents, Money } from '../../../shared/platform/money.ts';

/** Digits, with commas between thousands or without, and maybe a fraction. */
const AMOUNT = /^(\d{1,12}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d+))?$/;

/**
 * What a buyer typed, in minor units: `6000`, `6,000.00`, `$6,000`, `6000 USD`. Undefined for everything that
 * could mean more than one amount, such as `6.000,00`.
 */
export function parseAmount(typed: string, currency: string): Cents | undefined {
  const plain = typed
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace(/^\p{Sc}/u, '')
    .replace(new RegExp(`^${currency}|${currency}$`, 'i'), '');
  const [, whole = '', fraction = ''] = AMOUNT.exec(plain) ?? [];
  const digits = fractionDigits(currency);
  if (whole === '' || fraction.length > digits) return undefined;
  return Number(whole.replaceAll(',', '') + fraction.padEnd(digits, '0'));
}

/** An amount as the field shows it: `6000.00`. */
export function amountFieldValue({ amount, currency }: Money): string {
  const digits = fractionDigits(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

function fractionDigits(currency: string): number {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}
