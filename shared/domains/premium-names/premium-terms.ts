import type { PremiumTerms } from '../../market/inventory/listing.ts';
import type { Registrar } from '../registrar/registrar.ts';

/** Adds the registry's premium class and yearly fee to registrations; null if the domain is not premium. */
export async function withPremiumTerms<R extends { domain: string }>(
  registrar: Pick<Registrar, 'prices'>,
  registrations: readonly R[],
): Promise<(R & { premium: PremiumTerms | null })[]> {
  const domains = registrations.map(({ domain }) => domain);
  const prices = await registrar.prices(domains, 1);
  const terms = new Map(
    prices
      .filter(({ isPremium }) => isPremium)
      .map(({ domain, feeClass, renew }) => [domain, { class: feeClass, renewalFee: renew }]),
  );
  return registrations.map((each) => ({ ...each, premium: terms.get(each.domain) ?? null }));
}
