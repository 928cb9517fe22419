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

/** `$4,850.00` for 485000 USD. */
export function formatMoney(amount: Cents, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
