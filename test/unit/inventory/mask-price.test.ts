import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskPrice, showPrice } from '../../../shared/market/inventory/masked-price.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';

const amounts = fc.integer({ min: 1, max: MAX_PRICE_CENTS });
const currencies = fc.constantFrom('USD', 'EUR', 'CAD', 'JPY', 'KWD', 'CHF');
const MINOR_UNITS: Record<string, number> = { JPY: 1, KWD: 1_000 };

describe('masking a price', () => {
  it.each([
    [485_000, 'USD', '$4,8**'],
    [485_099, 'USD', '$4,8**'],
    [499_999, 'USD', '$4,9**'],
    [999_999, 'USD', '$9,9**'],
    [1_250_000, 'USD', '$12,***'],
    [123_456_700, 'USD', '$1,2**,***'],
    [100_000, 'USD', '$1,0**'],
    [99_999, 'USD', '$9**'],
    [48_500, 'USD', '$4**'],
    [4_850, 'USD', '$4*'],
    [999, 'USD', '$*'],
    [1, 'USD', '$*'],
    [485_000, 'EUR', '€4,8**'],
    [4_850, 'JPY', '¥4,8**'],
    [4_850_000, 'KWD', 'KWD\u00a04,8**'],
  ])('turns %d %s into %s', (amount, currency, masked) => {
    expect(maskPrice(amount, currency)).toBe(masked);
  });

  it('reveals at most two digits, never the last', () => {
    fc.assert(
      fc.property(amounts, currencies, (amount, currency) => {
        const masked = maskPrice(amount, currency);
        expect(masked.match(/\d/g)?.length ?? 0).toBeLessThanOrEqual(2);
        expect(masked).toMatch(/\*$/);
      }),
    );
  });

  it('depends only on the number of digits and the first two digits', () => {
    const twins = fc.tuple(amounts, currencies, fc.nat()).map(([amount, currency, seed]) => {
      const unit = MINOR_UNITS[currency] ?? 100;
      const digits = String(Math.floor(amount / unit)).length;
      const hidden =
        unit * 10 ** (digits >= 4 ? digits - 2 : Math.min(digits, Math.max(digits - 1, 1)));
      return { currency, amount, twin: amount - (amount % hidden) + (seed % hidden) };
    });
    fc.assert(
      fc.property(twins, ({ amount, twin, currency }) => {
        expect(maskPrice(twin, currency)).toBe(maskPrice(amount, currency));
      }),
    );
  });
});

describe('formatting a price', () => {
  it.each([
    [485_000, 'USD', '$4,850'],
    [485_050, 'USD', '$4,850.50'],
    [5, 'EUR', '€0.05'],
    [485_000, 'JPY', '¥485,000'],
    [4_850_500, 'KWD', 'KWD\u00a04,850.500'],
  ])('turns %d %s into %s', (amount, currency, shown) => {
    expect(showPrice(amount, currency)).toBe(shown);
  });
});
