import type { Static } from 'typebox';
import type { FoundDomain } from '../../../shared/domain-search/search-domains.ts';
import { priceView } from '../listings/listing.view.ts';
import type { DomainSearchView } from './search.schema.ts';

/** Registrations are sold in US dollars. */
const REGISTRATION_CURRENCY = 'USD';

/** A row of the answer; what its owner asks is masked unless the caller may see prices. */
export function foundDomainView(
  { domain, tld, status, registration, offer }: FoundDomain,
  unmasked: boolean,
): Static<typeof DomainSearchView>['results'][number] {
  return {
    domain,
    tld,
    status,
    available: status === 'unknown' ? null : status === 'available',
    registration_price_cents: registration?.priceCents ?? null,
    registration_years: registration?.years ?? null,
    currency: offer?.currency ?? REGISTRATION_CURRENCY,
    listing: offer && {
      ...priceView(offer, unmasked),
      offers_accepted: offer.offersAccepted,
    },
  };
}
