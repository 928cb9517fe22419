import type { DocumentTax, Party } from '../../messaging/documents/document.ts';
import type { PartnerTaxProfile } from '../../people/partners/tax-profile.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Money, taxWithin } from '../../platform/money.ts';

/** How a seller is taxed. */
export interface TaxProfile {
  kind: 'none' | 'vat' | 'us_none';
  country: string | null;
  /** VAT in basis points by the buyer's country; countries without a rate are outside its scope. */
  vatRates: Readonly<Record<string, number>>;
}

/** Returns the tax profile of the marketplace. */
export function marketplaceTax(config: Config): TaxProfile {
  return {
    kind: config.taxProfile,
    country: config.sellerCountry || null,
    vatRates: config.vatRates,
  };
}

/** Returns the tax profile of a partner that bills its commissions to the marketplace. */
export function partnerTax(config: Config, { country, vatBps }: PartnerTaxProfile): TaxProfile {
  if (vatBps === null || country === null) return { kind: 'none', country, vatRates: {} };
  return { kind: 'vat', country, vatRates: { ...config.vatRates, [country]: vatBps } };
}

/** Returns the marketplace as a party on documents. */
export function marketplaceParty(config: Config): Party {
  return {
    name: config.sellerName,
    address: addressLines(config.sellerAddress),
    country: config.sellerCountry || null,
    email: null,
    taxId: config.sellerTaxId || null,
  };
}

/** Returns a partner as a party on documents. */
export function partnerParty({ legalName, address, country, taxId }: PartnerTaxProfile): Party {
  return { name: legalName, address: addressLines(address), country, email: null, taxId };
}

function addressLines(text: string): string[] {
  return text
    .split('|')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Computes the tax included in a total. Prices include tax, so the total paid never depends on it. A business in a
 * different country of the VAT area owes the VAT itself (reverse charge), and the full total is net. A buyer from an
 * unknown country is taxed like one in the seller's country.
 */
export function taxIn(
  seller: TaxProfile,
  buyer: Pick<Party, 'country' | 'taxId'>,
  total: Money,
): DocumentTax {
  const without = (label: string, note: string | null): DocumentTax => ({
    label,
    rateBps: 0,
    netCents: total.amount,
    taxCents: 0,
    note,
  });
  if (seller.kind === 'none') return without('No tax', null);
  if (seller.kind === 'us_none') {
    return without('No sales tax', 'The state of the seller levies no sales tax on this supply.');
  }
  const country = buyer.country ?? seller.country;
  const rateBps = country === null ? undefined : seller.vatRates[country];
  if (rateBps === undefined) return without('No VAT', 'Outside the scope of VAT.');
  if (country !== seller.country && buyer.taxId !== null) {
    return without('Reverse charge', 'Reverse charge: the recipient is liable for the VAT.');
  }
  const taxCents = taxWithin(total.amount, rateBps);
  return {
    label: `VAT ${rateBps / 100}%`,
    rateBps,
    netCents: total.amount - taxCents,
    taxCents,
    note: null,
  };
}
