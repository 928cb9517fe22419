import type { MarketListing } from '../../../shared/inventory/list-market.ts';
import { maskPrice, showPrice } from '../../../shared/inventory/mask-price.ts';
import type { Cents } from '../../../shared/platform/money.ts';

/** A domain on the market; its price is masked unless the caller may see prices. */
export function listingView(listing: MarketListing, unmasked: boolean) {
  return {
    domain: listing.domain,
    tld: listing.tld,
    ...priceView(listing, unmasked),
    currency: listing.currency,
    offers_accepted: listing.offersAccepted,
    listed_at: listing.listedAt.toISOString(),
  };
}

/** What a domain costs as the public API tells it: 485000 and `$4,850`, or no number and `$4,8**`. */
export function priceView(
  { priceCents, currency }: { priceCents: Cents; currency: string },
  unmasked: boolean,
) {
  return {
    price_cents: unmasked ? priceCents : null,
    price_masked: !unmasked,
    price_display: (unmasked ? showPrice : maskPrice)(priceCents, currency),
  };
}
