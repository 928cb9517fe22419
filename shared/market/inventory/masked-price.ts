import { currencyFormat, minorDigits } from '../../platform/currencies.ts';
import { type Cents, decimalAmount } from '../../platform/money.ts';

/** From this many digits on two of them are shown, below it one, and of a single digit none. */
const DIGITS_THAT_SHOW_TWO = 4;

const WHOLE_UNITS = { minimumFractionDigits: 0, maximumFractionDigits: 0 };

/**
 * The price that callers who are not signed in see: `$4,8**` for 485000 USD. It tells the currency, how many digits the
 * whole units have, and the first two of them (the first alone below 1,000, none below 10). The minor units are cut
 * off, not rounded, so that they don't show in a digit that is left.
 * @param amount minor units, not negative
 */
export function maskPrice(amount: Cents, currency: string): string {
  const units = Math.floor(amount / 10 ** minorDigits(currency));
  const digits = String(units).length;
  const shown = digits >= DIGITS_THAT_SHOW_TWO ? 2 : Math.min(digits - 1, 1);
  let seen = 0;
  return currencyFormat('en-US', currency, WHOLE_UNITS)
    .format(units)
    .replace(/\d/g, (digit) => {
      seen += 1;
      return seen <= shown ? digit : '*';
    });
}

/** The full price, for callers who may see it: `$4,850` for 485000 USD, `$4,850.50` for 485050. */
export function showPrice(amount: Cents, currency: string): string {
  const format = currencyFormat('en-US', currency, { trailingZeroDisplay: 'stripIfInteger' });
  return format.format(decimalAmount({ amount, currency }));
}
