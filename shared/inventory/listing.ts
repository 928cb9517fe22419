import type { Environment } from '../platform/config.ts';
import type { Money } from '../platform/money.ts';

/** What is stored. "held" is not: an open quote holds a listing, see {@link ListingWithHold}. */
export type ListingStatus = 'listed' | 'sold' | 'delisted';

/** A domain of the inventory of one environment. */
export interface Listing {
  id: number;
  environment: Environment;
  /** A-labels, lower case, no trailing dot. */
  domain: string;
  domainUnicode: string;
  /** The label before the public suffix, as A-label. */
  sld: string;
  /** The public suffix, such as `com` or `co.uk`. */
  tld: string;
  status: ListingStatus;
  price: Money;
  /** The lowest offer worth making; in the currency of the price. */
  floorPrice: Money | null;
  offersAccepted: boolean;
  category: string | null;
  description: string | null;
  keywords: string[];
  listedAt: Date;
  updatedAt: Date;
}

/** A listing and who holds it: the partner with an open quote, or the checkout session of a buyer who is paying. */
export interface ListingWithHold extends Listing {
  heldBy: string | null;
}

/** What a buyer asks first: whether it is to be had, and for how much. */
export type ListingTerms = Pick<
  ListingWithHold,
  'domain' | 'status' | 'price' | 'floorPrice' | 'heldBy'
>;

/** Whether `partnerId` may buy it now: it is listed and nobody else holds it. */
export function isAvailableTo(listing: ListingTerms, partnerId: string): boolean {
  return listing.status === 'listed' && (listing.heldBy === null || listing.heldBy === partnerId);
}

/**
 * Whether it can be sold to a buyer who holds it, or to one who does not. A hold (a quote, a payment under
 * way) is a promise that taking the domain off the market does not break.
 */
export function isForSale(
  { status }: Pick<Listing, 'status'>,
  { held }: { held: boolean },
): boolean {
  return status === 'listed' || (held && status === 'delisted');
}

/** The status that partners see: a held listing is still listed, but shown as held. */
export function visibleStatus(listing: ListingWithHold): ListingStatus | 'held' {
  return listing.status === 'listed' && listing.heldBy !== null ? 'held' : listing.status;
}
