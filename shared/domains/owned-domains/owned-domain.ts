import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { Money } from '../../platform/money.ts';

/** The environment of owners' domains and of their listings: owners sell on the public market. */
export const OWNERS_ENVIRONMENT = 'LIVE';

/** How a domain stands on the public market. */
export interface OwnedListing {
  status: ListingStatus;
  price: Money;
  floorPrice: Money | null;
  offersAccepted: boolean;
}

/** A domain of an owner, as the registrar last told it. */
export interface OwnedDomain {
  /** A-labels, lower case. */
  domain: string;
  unicode: string;
  tld: string;
  nameservers: string[];
  locked: boolean;
  autoRenew: boolean;
  privacy: boolean;
  expiresAt: Date;
  /** The owner's own words for it, in order of the alphabet. */
  tags: string[];
  /** Null when it never was on the market. */
  listing: OwnedListing | null;
}

/** Which of an owner's domains; null is all. */
export interface OwnedDomainFilter {
  /** As A-labels. */
  tld: string | null;
  tag: string | null;
  /** Whether it is on the market now. */
  listed: boolean | null;
  expiresBefore: Date | null;
}

export const MAX_TAG_LENGTH = 50;
/** How many tags a domain can have. */
export const MAX_TAGS = 30;

/** A tag in the one form in which it is stored and compared. */
export function canonicalTag(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
