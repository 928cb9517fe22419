import type { Static } from 'typebox';
import {
  isAvailableTo,
  type ListingTerms,
  type ListingWithHold,
  visibleStatus,
} from '../../../shared/inventory/listing.ts';
import type { ScoreExplanation } from '../../../shared/search/judge.ts';
import type { SearchResult } from '../../../shared/search/search-listings.ts';
import type { Availability, DomainDetail, Pricing, SearchAnswer } from './discovery.schema.ts';

export function searchView(query: string, results: SearchResult[]): Static<typeof SearchAnswer> {
  return {
    query,
    count: results.length,
    results: results.map((result) => ({
      domain: result.domain,
      domain_unicode: result.domainUnicode,
      tld: result.tld,
      price_cents: result.priceCents,
      currency: result.currency,
      offers_accepted: result.offersAccepted,
      category: result.category,
      score: result.score,
      ...(result.reason && { explanation: explanationView(result.reason) }),
    })),
  };
}

function explanationView({
  exact,
  coverage,
  precision,
  order,
  agreement,
  quality,
  met,
}: ScoreExplanation) {
  return {
    exact,
    coverage: rounded(coverage),
    precision: rounded(precision),
    order,
    agreement,
    quality,
    words: met.map(({ asked, by, where, worth }) => ({
      asked,
      met_by: by,
      where,
      worth: rounded(worth),
    })),
  };
}

function rounded(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}

export function domainView(
  listing: ListingWithHold,
  partnerId: string,
): Static<typeof DomainDetail> {
  const [label = ''] = listing.domainUnicode.split('.');
  return {
    domain: listing.domain,
    domain_unicode: listing.domainUnicode,
    sld: listing.sld,
    tld: listing.tld,
    available: isAvailableTo(listing, partnerId),
    status: visibleStatus(listing),
    price_cents: listing.price.amount,
    floor_price_cents: listing.floorPrice?.amount ?? null,
    currency: listing.price.currency,
    offers_accepted: listing.offersAccepted,
    category: listing.category,
    description: listing.description,
    keywords: listing.keywords,
    length: Array.from(label).length,
    listed_at: listing.listedAt.toISOString(),
    updated_at: listing.updatedAt.toISOString(),
  };
}

/** An unlisted domain is an answer, not an error: unavailable, without a price. */
export function availabilityView(
  domain: string,
  listing: ListingTerms | undefined,
  partnerId: string,
): Static<typeof Availability> {
  if (!listing || !isAvailableTo(listing, partnerId)) {
    return { domain, available: false, price_cents: null, currency: null };
  }
  return {
    domain,
    available: true,
    price_cents: listing.price.amount,
    currency: listing.price.currency,
  };
}

export function pricingView(listing: ListingTerms): Static<typeof Pricing> {
  return {
    domain: listing.domain,
    price_cents: listing.price.amount,
    floor_price_cents: listing.floorPrice?.amount ?? null,
    currency: listing.price.currency,
  };
}
