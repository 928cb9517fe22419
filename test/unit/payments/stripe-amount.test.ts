import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ourAmount, stripeAmount } from '../../../shared/money/payments/stripe-amount.ts';
import { CURRENCIES } from '../../../shared/platform/currencies.ts';
import { MAX_PRICE_CENTS, Money } from '../../../shared/platform/money.ts';

describe('converting amounts for Stripe', () => {
  it.each([
    [485_000, 'USD', 485_000],
    [10_000_000, 'HUF', 10_000_000],
    [150, 'TWD', 150],
    [700, 'JPY', 700],
    [700, 'ISK', 70_000],
    [700, 'UGX', 70_000],
    [700, 'MGA', 7],
    [5_120, 'KWD', 5_120],
    [1_000, 'IQD', 100],
    [10_000, 'UYW', 100],
  ])('turns %d %s into %d', (amount, currency, theirs) => {
    expect(stripeAmount(new Money(amount, currency))).toBe(theirs);
    expect(ourAmount(theirs, currency.toLowerCase())).toEqual(new Money(amount, currency));
  });

  it.each([
    [750, 'MGA'],
    [5_124, 'KWD'],
    [1_001, 'IQD'],
    [10_001, 'UYW'],
    [Number.MAX_SAFE_INTEGER, 'ISK'],
  ])('refuses %d %s instead of rounding it', (amount, currency) => {
    expect(stripeAmount(new Money(amount, currency))).toBeUndefined();
  });

  it('round-trips in every currency', () => {
    const money = fc.tuple(fc.nat({ max: MAX_PRICE_CENTS }), fc.constantFrom(...CURRENCIES));
    fc.assert(
      fc.property(money, ([amount, currency]) => {
        const theirs = stripeAmount(new Money(amount, currency));
        if (theirs === undefined) return;
        expect(ourAmount(theirs, currency)).toEqual(new Money(amount, currency));
      }),
      { numRuns: 1_000 },
    );
  });

  it('rejects a Stripe amount that is no whole number of our minor units', () => {
    expect(() => ourAmount(150, 'isk')).toThrow(
      expect.objectContaining({ code: 'validation_error' }),
    );
  });
});
