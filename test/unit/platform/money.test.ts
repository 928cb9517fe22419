import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatMoney, MAX_PRICE_CENTS, shareOf } from '../../../shared/platform/money.ts';

const price = fc.integer({ min: -MAX_PRICE_CENTS, max: MAX_PRICE_CENTS });
const bps = fc.integer({ min: 0, max: 10_000 });

describe('shares of an amount', () => {
  it('are rounded half away from zero', () => {
    expect(shareOf(485_000, 1_500)).toBe(72_750);
    expect([shareOf(1, 5_000), shareOf(1, 4_999), shareOf(3, 5_000)]).toEqual([1, 0, 2]);
    expect([shareOf(-1, 5_000), shareOf(-1, 4_999)]).toEqual([-1, -0].map((n) => n || 0));
  });

  it('are exact integers that a reversal undoes to the cent', () => {
    fc.assert(
      fc.property(price, bps, (amount, rate) => {
        const share = shareOf(amount, rate);
        expect(Number.isSafeInteger(share)).toBe(true);
        expect(share + shareOf(-amount, rate)).toBe(0);
        const exact = BigInt(amount) * BigInt(rate);
        const off = BigInt(share) * 10_000n - exact;
        expect(off <= 5_000n && off >= -5_000n).toBe(true);
      }),
    );
  });
});

describe('money for people', () => {
  it('has the decimals of its currency', () => {
    expect(formatMoney(485_000, 'USD')).toBe('$4,850.00');
    expect(formatMoney(485_000, 'JPY')).toBe('¥485,000');
  });
});
