import { DAY } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { OfferEventType } from './offer.events.ts';

export const OFFER_STATUSES = ['OPEN', 'COUNTERED', 'ACCEPTED', 'DECLINED', 'EXPIRED'] as const;

export type OfferStatus = (typeof OFFER_STATUSES)[number];

/** An offer of a partner's buyer for a listed domain. */
export interface Offer {
  id: string;
  partnerId: string;
  environment: Environment;
  listingId: number;
  /** A-labels. */
  domain: string;
  status: OfferStatus;
  /** The buyer's latest price. */
  amount: Money;
  /** The owner's latest price. */
  counter: Money | null;
  /** The agreed price, which the quote keeps. */
  price: Money | null;
  quoteId: string | null;
  quoteExpiresAt: Date | null;
  /** When the partner, or its buyer, gave up the quote. */
  releasedAt: Date | null;
  /** Erased some time after the offer or its quote ended, like the next two. */
  buyerEmail: string | null;
  buyerName: string | null;
  buyerCountry: string | null;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
}

/** The owner of offers. Every query on behalf of a partner is limited to it. */
export interface OfferOwner {
  partnerId: string;
  environment: Environment;
}

export interface OfferMove {
  from: readonly OfferStatus[];
  to: OfferStatus;
  event: OfferEventType;
}

/** Every move an offer can make. `OPEN` waits for the owner, `COUNTERED` for the buyer. */
export const OFFER_MOVES = {
  counter: { from: ['OPEN'], to: 'COUNTERED', event: 'offer.countered' },
  raise: { from: ['COUNTERED'], to: 'OPEN', event: 'offer.countered' },
  accept: { from: ['OPEN', 'COUNTERED'], to: 'ACCEPTED', event: 'offer.accepted' },
  decline: { from: ['OPEN', 'COUNTERED'], to: 'DECLINED', event: 'offer.declined' },
  expire: { from: ['OPEN', 'COUNTERED'], to: 'EXPIRED', event: 'offer.expired' },
} as const satisfies Record<string, OfferMove>;

export type OfferMoveName = keyof typeof OFFER_MOVES;

/**
 * The number of offers per listing that may be made within OFFER_WINDOW_MS without being accepted. This limits what a
 * partner can learn about a private floor: an immediate answer reveals on which side of the floor an offer is.
 */
export const MAX_UNACCEPTED_OFFERS = 3;
export const OFFER_WINDOW_MS = DAY;
/** The floor accepts at most one offer per partner and listing in this time. */
export const FLOOR_REST_MS = 30 * DAY;
/** How long a partner that released an accepted offer cannot make a new one on the listing. */
export const CLOSED_AFTER_RELEASE_MS = 7 * DAY;

/** Who made a step. The owner's floor accepts automatically, and the clock ends unanswered offers. */
export type OfferActor = OfferSide | 'floor' | 'clock';

/** A step of the negotiation. */
export interface OfferStep {
  at: Date;
  event: OfferEventType;
  by: OfferActor;
  /** The offered or agreed price. */
  amount: Money | null;
}

/** The side of a negotiation. The side whose turn it is may accept, counter or decline. */
export type OfferSide = 'buyer' | 'owner';

export function hasTurn(side: OfferSide, status: OfferStatus): boolean {
  return status === (side === 'owner' ? 'OPEN' : 'COUNTERED');
}
