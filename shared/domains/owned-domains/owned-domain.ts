import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { Money } from '../../platform/money.ts';
import type { DsData } from '../epp/epp-objects.ts';

/** The environment of owners' domains and of their listings: owners sell on the public market. */
export const OWNERS_ENVIRONMENT = 'LIVE';

/** What can be wrong with the purchase of a domain, as its owner is told. */
export const PURCHASE_FAULTS = {
  refunded: 'Its purchase was refunded, so it is no longer yours.',
  disputed: 'Its payment is disputed, so it cannot be sold here until the dispute ends.',
} as const;

/**
 * Returns why a domain in an account is no longer its owner's to manage, in a sentence for them; undefined if it is. It
 * stays there until its next owner has it.
 */
export function whyGone({
  listing,
  purchaseFault,
}: Pick<OwnedDomain, 'listing' | 'purchaseFault'>): string | undefined {
  if (purchaseFault === 'refunded') return PURCHASE_FAULTS.refunded;
  return listing?.status === 'sold' ? 'This domain is sold.' : undefined;
}

/** What an owner reads of a domain that another registrar took. */
export const AT_ANOTHER_REGISTRAR =
  'Another registrar has this domain although nobody here let it go. We are looking into it.';

/** A domain's listing on the public market. */
export interface OwnedListing {
  status: ListingStatus;
  price: Money;
  floorPrice: Money | null;
  offersAccepted: boolean;
}

/** An owner's domain, as the registrar last reported it. */
export interface OwnedDomain {
  /** A-labels, lower case. */
  domain: string;
  unicode: string;
  tld: string;
  nameservers: string[];
  locked: boolean;
  autoRenew: boolean;
  privacy: boolean;
  /** Whether it is kept out of the DNS. */
  held: boolean;
  signers: readonly DsData[];
  registeredAt: Date | null;
  transferredAt: Date | null;
  expiresAt: Date;
  /** The owner's tags, in alphabetical order. */
  tags: string[];
  /** Whether it must not be sold, moved or changed, for example by court order. */
  legalHold: boolean;
  /** Whether it was bought here, so its owner pays for renewals; domains granted by staff are billed elsewhere. */
  isBought: boolean;
  /**
   * What is wrong with the order with which its owner bought it; null if nothing. While the payment is `disputed`, they
   * cannot sell it, move it or give it to another registrant. `refunded`: see {@link whyGone}.
   */
  purchaseFault: keyof typeof PURCHASE_FAULTS | null;
  /** When the hold of a buyer ends, who has a quote or is paying, even if the domain is off the market by now. */
  buyerHoldUntil: Date | null;
  /** Whether its authorization code is out: another registrar can request a transfer, or has done so. */
  leaving: boolean;
  /** Since when another registrar has it although nobody here let it go; null if none has. */
  takenAt: Date | null;
  /** Null if this owner never put it on the market, or if their purchase was refunded. */
  listing: OwnedListing | null;
}

/** Filters an owner's domains; null means all. */
export interface OwnedDomainFilter {
  /** Part of the name, in A-labels or Unicode. */
  text: string | null;
  /** As A-labels. */
  tld: string | null;
  tag: string | null;
  /** Whether it is on the market now. */
  listed: boolean | null;
  /** Whether it is sold, or its purchase was refunded. */
  gone: boolean | null;
  locked: boolean | null;
  autoRenew: boolean | null;
  privacy: boolean | null;
  /** Whether it has automatic renewal and the last renewal attempt did not fail. */
  renewsItself: boolean | null;
  expiresFrom: Date | null;
  /** Exclusive. */
  expiresBefore: Date | null;
}

/** The filter that matches all of an owner's domains. */
export const ANY_DOMAIN: OwnedDomainFilter = {
  text: null,
  tld: null,
  tag: null,
  listed: null,
  gone: null,
  locked: null,
  autoRenew: null,
  privacy: null,
  renewsItself: null,
  expiresFrom: null,
  expiresBefore: null,
};

/** The sort orders of an owner's domains: by name or by expiry. */
export const OWNED_DOMAIN_SORTS = ['a_to_z', 'soonest'] as const;
export type OwnedDomainSort = (typeof OWNED_DOMAIN_SORTS)[number];

/** The position of a domain in either order; by name, the name is enough. */
export interface OwnedDomainPosition {
  domain: string;
  expiresAt: Date | null;
}

export const MAX_TAG_LENGTH = 50;
/** The maximum number of tags per domain. */
export const MAX_TAGS = 30;

/** Returns a tag in its canonical form for storage and comparison. */
export function canonicalTag(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
