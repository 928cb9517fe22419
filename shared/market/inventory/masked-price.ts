import type { Cents } from '../../platform/money.ts';

/** From this many digits on two of them are shown, below it one, and of a single digit none. */
const DIGITS_THAT_SHOW_TWO = 4;

interface Style {
  /** Whole units. */
  format: Intl.NumberFormat;
  /** With minor units unless they are zero. */
  exact: Intl.NumberFormat;
  /** Minor units of one whole unit. */
  minorUnits: number;
}

const styles = new Map<string, Style>();

/**
 * A price as callers see it who are not signed in: `$4,8**` for 485000 USD. It tells the currency, how many
 * digits the whole units have, and the first two of them (the first alone below 1,000, none below 10). The
 * minor units are cut off, not rounded, so that they don't show in a digit that is left.
 * @param amount minor units, not negative
 */
export function maskPrice(amount: Cents, currency: string): string {
  const { format, minorUnits } = styleOf(currency);
  const units = Math.floor(amount / minorUnits);
  const digits = String(units).length;
  const shown = digits >= DIGITS_THAT_SHOW_TWO ? 2 : Math.min(digits - 1, 1);
  let seen = 0;
  return format.format(units).replace(/\d/g, (digit) => {
    seen += 1;
    return seen <= shown ? digit : '*';
  });
}

/** A price as callers see it who may: `$4,850` for 485000 USD, `$4,850.50` for 485050. */
export function showPrice(amount: Cents, currency: string): string {
  const { exact, minorUnits } = styleOf(currency);
  return exact.format(amount / minorUnits);
}

/** Kept, because making a format takes longer than masking a page of prices. */
function styleOf(currency: string): Style {
  const known = styles.get(currency);
  if (known) return known;
  const inCurrency = { style: 'currency', currency } as const;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat(
    'en-US',
    inCurrency,
  ).resolvedOptions();
  const style = {
    format: new Intl.NumberFormat('en-US', { ...inCurrency, maximumFractionDigits: 0 }),
    exact: new Intl.NumberFormat('en-US', {
      ...inCurrency,
      trailingZeroDisplay: 'stripIfInteger',
    }),
    minorUnits: 10 ** maximumFractionDigits,
  };
  styles.set(currency, style);
  return style;
}
