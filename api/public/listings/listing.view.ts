import type { MarketListing } from '../../../shared/inventory/list-market.ts';
import { maskPrice } from '../../../shared/inventory/mask-price.ts';

/** A domain on the market as a caller sees it who is not signed in. */
export function listingView(listing: MarketListing) {
  return {
    domain: listing.domain,
    tld: listing.tld,
    price_cents: null,
    price_masked: true,
    price_display: maskPrice(listing.priceCents, listing.currency),
    currency: listing.currency,
    offers_accepted: listing.offersAccepted,
    listed_at: listing.listedAt.toISOString(),
  };
}
