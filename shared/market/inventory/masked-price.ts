import { currencyFormat, minorDigits } from '../../platform/currencies.ts';
import { type Cents, decimalAmount } from '../../platform/money.ts';

/** Prices with at least this many digits show two of them, shorter ones show one, and a single digit is hidden. */
const DIGITS_THAT_SHOW_TWO = 4;

const WHOLE_UNITS = { minimumFractionDigits: 0, maximumFractionDigits: 0 };

/**
 * Returns the price as shown to callers who are not signed in: `$4,8**` for 485000 USD. It shows the currency, the
 * number of digits of the whole units, and the first two of them (one below 1,000, none below 10). Minor units are
 * truncated, not rounded, so they never affect a visible digit.
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

/** Returns the full price, for callers who may see it: `$4,850` for 485000 USD, `$4,850.50` for 485050. */
export function showPrice(amount: Cents, currency: string): string {
  const format = currencyFormat('en-US', currency, { trailingZeroDisplay: 'stripIfInteger' });
  return format.format(decimalAmount({ amount, currency }));
}
