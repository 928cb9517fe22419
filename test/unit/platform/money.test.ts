import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decimalAmount,
  formatMoney,
  formatMoneyWithCode,
  MAX_PRICE_CENTS,
  Money,
  parseDecimalAmount,
  shareOf,
} from '../../../shared/platform/money.ts';

const price = fc.integer({ min: -MAX_PRICE_CENTS, max: MAX_PRICE_CENTS });
const bps = fc.integer({ min: 0, max: 10_000 });

describe('a share of an amount', () => {
  it('is rounded half away from zero', () => {
    expect(shareOf(485_000, 1_500)).toBe(72_750);
    expect([shareOf(1, 5_000), shareOf(1, 4_999), shareOf(3, 5_000)]).toEqual([1, 0, 2]);
    expect([shareOf(-1, 5_000), shareOf(-1, 4_999)]).toEqual([-1, -0].map((n) => n || 0));
  });

  it('is an exact integer that a reversal cancels to the cent', () => {
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

describe('a Money value', () => {
  const usd = new Money(485_000, 'USD');

  it('can be added only to its own currency', () => {
    expect(usd.plus(new Money(15, 'USD'))).toEqual(new Money(485_015, 'USD'));
    expect(usd.minus(usd)).toEqual(usd.zero());
    expect(() => usd.plus(new Money(15, 'JPY'))).toThrow('JPY cannot be added to USD');
    expect(() => usd.minus(new Money(15, 'JPY'))).toThrow('JPY cannot be added to USD');
  });

  it('equals only the same amount in the same currency', () => {
    expect(usd.equals(new Money(485_000, 'USD'))).toBe(true);
    expect(usd.equals(new Money(485_000, 'JPY'))).toBe(false);
    expect(usd.equals(new Money(485_001, 'USD'))).toBe(false);
  });

  it('cannot be assembled from an amount and a currency by hand', () => {
    const yen = new Money(1, 'JPY');
    // @ts-expect-error An object literal is no Money, whatever its fields say.
    const mixed: Money = { amount: usd.amount, currency: yen.currency };
    // @ts-expect-error Nor is a copy with another currency.
    const changed: Money = { ...usd, currency: yen.currency };
    expect([mixed, changed]).not.toContainEqual(usd);
  });
});

describe('formatted money', () => {
  it('has the decimals of its currency', () => {
    expect(formatMoney(new Money(485_000, 'USD'))).toBe('$4,850.00');
    expect(formatMoney(new Money(485_000, 'JPY'))).toBe('¥485,000');
    expect(formatMoney(new Money(10_000_000, 'HUF'))).toBe('HUF\u00a0100,000.00');
    expect(formatMoney(new Money(-1, 'KWD'))).toBe('-KWD\u00a00.001');
  });

  it('names its currency once', () => {
    expect(formatMoneyWithCode(new Money(485_000, 'USD'))).toBe('$4,850.00 USD');
    expect(formatMoneyWithCode(new Money(485_000, 'CHF'))).toBe('CHF\u00a04,850.00');
    expect(formatMoneyWithCode(new Money(485_000, 'XPF'))).toBe('CFPF\u00a0485,000 XPF');
  });

  it('is exact as a decimal number and can be parsed back', () => {
    const currency = fc.constantFrom('USD', 'JPY', 'KWD', 'UYW');
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), currency, (amount, code) => {
        const text = decimalAmount(new Money(amount, code));
        expect(parseDecimalAmount(text, code)).toBe(amount);
        if (amount > 0) expect(decimalAmount(new Money(-amount, code))).toBe(`-${text}`);
      }),
    );
    expect(parseDecimalAmount('1.5', 'JPY')).toBeUndefined();
    expect(parseDecimalAmount('99999999999999999', 'JPY')).toBeUndefined();
  });
});
