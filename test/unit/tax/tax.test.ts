import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partnerTax, type TaxProfile, taxIn } from '../../../shared/money/tax/tax.ts';
import type { Config } from '../../../shared/platform/config/config.ts';
import { Money } from '../../../shared/platform/money.ts';

const VAT: TaxProfile = {
  kind: 'vat',
  country: 'DE',
  vatRates: { DE: 1_900, FR: 2_000, LU: 1_700 },
};
const euros = (cents: number) => new Money(cents, 'EUR');
const person = (country: string | null) => ({ country, taxId: null });
const company = (country: string) => ({ country, taxId: `${country}12345678` });

describe('the tax in a price', () => {
  it('is zero without a tax profile', () => {
    const tax = taxIn({ kind: 'none', country: 'DE', vatRates: {} }, person('DE'), euros(11_900));
    expect(tax).toMatchObject({ label: 'No tax', netCents: 11_900, taxCents: 0, note: null });
  });

  it('is zero in a US state without sales tax, with a note', () => {
    const tax = taxIn({ kind: 'us_none', country: 'US', vatRates: {} }, person('US'), euros(500));
    expect(tax).toMatchObject({ label: 'No sales tax', netCents: 500, taxCents: 0, rateBps: 0 });
    expect(tax.note).toContain('no sales tax');
  });

  it.each([
    ['DE', 'VAT 19%', 10_000, 1_900],
    ['FR', 'VAT 20%', 9_917, 1_983],
    ['LU', 'VAT 17%', 10_171, 1_729],
  ])("is the VAT of the buyer's country: %s", (country, label, netCents, taxCents) => {
    expect(taxIn(VAT, person(country), euros(11_900))).toMatchObject({ label, netCents, taxCents });
  });

  it("is the seller's VAT if the buyer's country is unknown", () => {
    expect(taxIn(VAT, person(null), euros(11_900))).toMatchObject({ label: 'VAT 19%' });
  });

  it('is zero outside the VAT area', () => {
    expect(taxIn(VAT, person('JP'), euros(11_900))).toMatchObject({
      taxCents: 0,
      netCents: 11_900,
    });
  });

  it('is reverse-charged to a company in another VAT country', () => {
    const tax = taxIn(VAT, company('FR'), euros(11_900));
    expect(tax).toMatchObject({
      label: 'Reverse charge',
      rateBps: 0,
      taxCents: 0,
      netCents: 11_900,
    });
    expect(tax.note).toBeTruthy();
    expect(taxIn(VAT, company('DE'), euros(11_900))).toMatchObject({ taxCents: 1_900 });
  });

  it('always adds up with the net amount to the total', () => {
    const cents = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 });
    fc.assert(
      fc.property(cents, fc.constantFrom('DE', 'FR', 'LU', 'JP', null), (total, country) => {
        const { netCents, taxCents } = taxIn(VAT, person(country), euros(total));
        expect(netCents + taxCents).toBe(total);
        expect(Object.is(taxCents, -0) || Object.is(netCents, -0)).toBe(false);
      }),
    );
  });

  it('on a commission follows the tax profile of the partner that bills it', () => {
    const config = { vatRates: VAT.vatRates } as Config;
    const profile = { legalName: 'Larkspur', address: '', taxId: 'FR1', country: 'FR' };
    const charging = partnerTax(config, { ...profile, vatBps: 2_000 });
    expect(taxIn(charging, company('FR'), euros(12_000))).toMatchObject({ taxCents: 2_000 });
    expect(taxIn(charging, company('DE'), euros(12_000))).toMatchObject({
      label: 'Reverse charge',
    });
    const small = partnerTax(config, { ...profile, vatBps: null });
    expect(taxIn(small, company('DE'), euros(12_000))).toMatchObject({ taxCents: 0, note: null });
  });
});
