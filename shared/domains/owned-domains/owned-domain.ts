import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { Money } from '../../platform/money.ts';
import type { DsData } from '../epp/epp-objects.ts';

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
  /** Whether it is kept out of the DNS. */
  held: boolean;
  signers: readonly DsData[];
  registeredAt: Date | null;
  transferredAt: Date | null;
  expiresAt: Date;
  /** The owner's own words for it, in order of the alphabet. */
  tags: string[];
  /** It can be neither sold, moved nor changed, by order of a court or the like. */
  legalHold: boolean;
  /** It was bought here, so its owner pays for renewals; those that staff granted are billed elsewhere. */
  isBought: boolean;
  /** Its authorization code is out: another registrar can ask for it, or has done so. */
  leaving: boolean;
  /** Null when it never was on the market. */
  listing: OwnedListing | null;
}

/** Which of an owner's domains; null is all. */
export interface OwnedDomainFilter {
  /** A part of the name, in either spelling. */
  text: string | null;
  /** As A-labels. */
  tld: string | null;
  tag: string | null;
  /** Whether it is on the market now. */
  listed: boolean | null;
  sold: boolean | null;
  locked: boolean | null;
  autoRenew: boolean | null;
  privacy: boolean | null;
  /** Whether it is to renew itself, and the last try for its end has not failed. */
  renewsItself: boolean | null;
  expiresFrom: Date | null;
  /** Exclusive. */
  expiresBefore: Date | null;
}

/** All of an owner's domains. */
export const ANY_DOMAIN: OwnedDomainFilter = {
  text: null,
  tld: null,
  tag: null,
  listed: null,
  sold: null,
  locked: null,
  autoRenew: null,
  privacy: null,
  renewsItself: null,
  expiresFrom: null,
  expiresBefore: null,
};

/** The orders in which an owner's domains are listed: by name, or by the end of their registration. */
export const OWNED_DOMAIN_SORTS = ['a_to_z', 'soonest'] as const;
export type OwnedDomainSort = (typeof OWNED_DOMAIN_SORTS)[number];

/** The place of a domain in either order; by name, the name is enough. */
export interface OwnedDomainPosition {
  domain: string;
  expiresAt: Date | null;
}

export const MAX_TAG_LENGTH = 50;
/** How many tags a domain can have. */
export const MAX_TAGS = 30;

/** A tag in the one form in which it is stored and compared. */
export function canonicalTag(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
