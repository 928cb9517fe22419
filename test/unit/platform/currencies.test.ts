import { describe, expect, it } from '@jest/globals';
import { maskPrice, showPrice } from '../../../shared/market/inventory/masked-price.ts';
import {
  CURRENCIES,
  currencyFormat,
  isCurrency,
  minorDigits,
} from '../../../shared/platform/currencies.ts';
import { formatMoney, Money } from '../../../shared/platform/money.ts';

/** ISO 4217 list one as of 2026: currencies with other than two decimals, and those with two. */
const OTHER_DIGITS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const TWO_DIGITS = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
  CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL
  HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK
  MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS
  SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`;

const written = new Map([
  ...Object.entries(OTHER_DIGITS).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
  ...TWO_DIGITS.split(/\s+/).map((code) => [code, 2] as const),
]);

describe('currencies', () => {
  it('are those of ISO 4217, each with its minor unit', () => {
    const ours = new Map(CURRENCIES.map((code) => [code, minorDigits(code)]));
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(written));
  });

  it.each(['XXX', 'XTS', 'XAU', 'usd', 'ABC', ''])('do not include %j', (code) => {
    expect(isCurrency(code)).toBe(false);
  });

  it('show every digit of their minor unit wherever an amount is written', () => {
    for (const currency of CURRENCIES) {
      const digits = minorDigits(currency);
      const amount = 12 * 10 ** digits + (digits > 0 ? 1 : 0);
      const end = digits === 0 ? '12' : `12.${'1'.padStart(digits, '0')}`;
      const ways = [formatMoney(new Money(amount, currency)), showPrice(amount, currency)];
      for (const text of ways) expect([currency, text.endsWith(end)]).toEqual([currency, true]);
      expect(maskPrice(amount, currency)).toMatch(/1\*$/);
      const { maximumFractionDigits } = currencyFormat('de-DE', currency).resolvedOptions();
      expect([currency, maximumFractionDigits]).toEqual([currency, digits]);
    }
  });

  it('still format amounts in a withdrawn currency', () => {
    expect(formatMoney(new Money(10_000, 'HRK'))).toBe('HRK\u00a0100.00');
  });
});
