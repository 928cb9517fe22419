import type { PremiumTerms } from '../../market/inventory/listing.ts';
import type { Registrar } from '../registrar/registrar.ts';

/** What a registry asks for those of these domains that are premium, for a year; others are missing. */
async function findPremiumTerms(
  registrar: Pick<Registrar, 'prices'>,
  domains: readonly string[],
): Promise<Map<string, PremiumTerms>> {
  const prices = await registrar.prices(domains, 1);
  return new Map(
    prices
      .filter(({ isPremium }) => isPremium)
      .map(({ domain, feeClass, renew }) => [domain, { class: feeClass, renewalFee: renew }]),
  );
}

/** These registrations, each with what its domain costs as a premium name. */
export async function withPremiumTerms<R extends { domain: string }>(
  registrar: Pick<Registrar, 'prices'>,
  registrations: readonly R[],
): Promise<(R & { premium: PremiumTerms | null })[]> {
  const domains = registrations.map(({ domain }) => domain);
  const terms = await findPremiumTerms(registrar, domains);
  return registrations.map((each) => ({ ...each, premium: terms.get(each.domain) ?? null }));
}
