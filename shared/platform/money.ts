import { currencyFormat, minorDigits } from './currencies.ts';

/** Integer minor units (cents). Every amount on the wire stands beside its ISO 4217 currency. */
export type Cents = number;

/** The largest price that is accepted, in minor units: sums over millions of orders stay exact. */
export const MAX_PRICE_CENTS = 99_999_999_999;

/**
 * `amount` × `bps` / 10,000, rounded half away from zero, in exact integer arithmetic.
 * @param bps basis points: 1,500 is 15 %
 */
export function shareOf(amount: Cents, bps: number): Cents {
  const product = BigInt(amount) * BigInt(bps);
  const half = product < 0n ? -5_000n : 5_000n;
  return Number((product + half) / 10_000n);
}

/**
 * The tax in an amount that includes it at `bps`: `amount` × `bps` / (10,000 + `bps`), rounded half away from zero,
 * in exact integer arithmetic.
 */
export function taxWithin(amount: Cents, bps: number): Cents {
  const whole = 10_000n + BigInt(bps);
  const product = 2n * BigInt(amount) * BigInt(bps);
  return Number((product + (product < 0n ? -whole : whole)) / (2n * whole));
}

/**
 * An amount with its currency. Functions pass prices only as this, so that an amount never ends up with the currency of
 * another: the compiler accepts no object literal as Money, and arithmetic with two currencies throws.
 */
export class Money {
  /** Minor units. */
  readonly amount: Cents;
  /** ISO 4217. */
  readonly currency: string;
  /** For the compiler only: it accepts no look-alike of a class with a protected member. */
  declare protected readonly nominal: true;

  constructor(amount: Cents, currency: string) {
    this.amount = amount;
    this.currency = currency;
  }

  /** Returns the share of `bps` basis points, rounded half away from zero. */
  share(bps: number): Money {
    return new Money(shareOf(this.amount, bps), this.currency);
  }

  /** @throws Error for another currency (a bug) */
  plus(other: Money): Money {
    if (other.currency !== this.currency) {
      throw new Error(`${other.currency} cannot be added to ${this.currency}`);
    }
    return new Money(this.amount + other.amount, this.currency);
  }

  /** @throws Error for another currency (a bug) */
  minus(other: Money): Money {
    return this.plus(other.negated());
  }

  negated(): Money {
    // Never -0, which a strict comparison tells from 0.
    return new Money(0 - this.amount, this.currency);
  }

  /** Returns zero in this currency. */
  zero(): Money {
    return new Money(0, this.currency);
  }

  equals(other: Money): boolean {
    return this.amount === other.amount && this.currency === other.currency;
  }
}

/** Returns the amount as Money, or null for a null amount (a nullable column). */
export function moneyOrNull(amount: Cents | null, currency: string): Money | null {
  return amount === null ? null : new Money(amount, currency);
}

/** `$4,850.00 USD`, where the sign alone is ambiguous; `CHF 4,850.00` already has the code. */
export function formatMoneyWithCode(money: Money): string {
  return [formatMoney(money), ...unnamedCurrency(money)].join(' ');
}

/** The code of the currency in a list; an empty list if the formatted amount already has the code. */
export function unnamedCurrency(money: Money): string[] {
  return formatMoney(money).includes(money.currency) ? [] : [money.currency];
}

/** `$4,850.00` for 485000 USD. */
export function formatMoney(money: Money): string {
  return currencyFormat('en-US', money.currency).format(decimalAmount(money));
}

/** The amount in whole units as a decimal number, exactly: `4850.00` for 485000 USD, `4850` for 4850 JPY. */
export function decimalAmount({ amount, currency }: Pick<Money, 'amount' | 'currency'>) {
  const digits = minorDigits(currency);
  const text = String(Math.abs(amount)).padStart(digits + 1, '0');
  const fraction = digits === 0 ? '' : `.${text.slice(-digits)}`;
  const sign = amount < 0 ? '-' : '';
  return `${sign}${text.slice(0, text.length - digits)}${fraction}` as `${number}`;
}

/**
 * Minor units of a decimal number of whole units, such as `4850.5`; undefined for one with more digits than the
 * currency has, or too large to be counted exactly.
 */
export function parseDecimalAmount(text: string, currency: string): Cents | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = minorDigits(currency);
  if (whole === undefined || fraction.length > digits) return undefined;
  const cents = Number(whole + fraction.padEnd(digits, '0'));
  return Number.isSafeInteger(cents) ? cents : undefined;
}
