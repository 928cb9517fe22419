import { DAY } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { OfferEventType } from './offer.events.ts';

export const OFFER_STATUSES = ['OPEN', 'COUNTERED', 'ACCEPTED', 'DECLINED', 'EXPIRED'] as const;

export type OfferStatus = (typeof OFFER_STATUSES)[number];

/** What a partner's buyer offers for a listed domain. */
export interface Offer {
  id: string;
  partnerId: string;
  environment: Environment;
  listingId: number;
  /** A-labels. */
  domain: string;
  status: OfferStatus;
  /** What the buyer named last. */
  amount: Money;
  /** What the owner named last. */
  counter: Money | null;
  /** What was agreed, with the quote that keeps it. */
  price: Money | null;
  quoteId: string | null;
  quoteExpiresAt: Date | null;
  /** Erased some time after an offer came to nothing. */
  buyerEmail: string | null;
  buyerName: string | null;
  buyerCountry: string | null;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
}

/** Whose offers: every query that a partner causes is bound to it. */
export interface OfferOwner {
  partnerId: string;
  environment: Environment;
}

export interface OfferMove {
  from: readonly OfferStatus[];
  to: OfferStatus;
  event: OfferEventType;
}

/** Every move of an offer: `OPEN` waits for the owner, `COUNTERED` for the buyer. */
export const OFFER_MOVES = {
  counter: { from: ['OPEN'], to: 'COUNTERED', event: 'offer.countered' },
  raise: { from: ['COUNTERED'], to: 'OPEN', event: 'offer.countered' },
  accept: { from: ['OPEN', 'COUNTERED'], to: 'ACCEPTED', event: 'offer.accepted' },
  decline: { from: ['OPEN', 'COUNTERED'], to: 'DECLINED', event: 'offer.declined' },
  expire: { from: ['OPEN', 'COUNTERED'], to: 'EXPIRED', event: 'offer.expired' },
} as const satisfies Record<string, OfferMove>;

export type OfferMoveName = keyof typeof OFFER_MOVES;

/**
 * What a partner may learn of a private floor: an answer that comes at once says on which side of the floor an offer
 * is, so there are few of them. So many offers a listing may wait or be declined within OFFER_WINDOW_MS.
 */
export const MAX_UNACCEPTED_OFFERS = 3;
export const OFFER_WINDOW_MS = DAY;
/** One acceptance by the floor a partner and listing in this time. */
export const FLOOR_REST_MS = 30 * DAY;
/** After an accepted offer was released, its partner makes none on the listing for so long. */
export const CLOSED_AFTER_RELEASE_MS = 7 * DAY;

/** Who took a step: the owner's floor accepts by itself, the clock ends what nobody answered. */
export type OfferActor = OfferSide | 'floor' | 'clock';

/** What was said in an offer. */
export interface OfferStep {
  at: Date;
  event: OfferEventType;
  by: OfferActor;
  /** The price that was named or agreed. */
  amount: Money | null;
}

/** Whose turn it is: who may accept, counter or decline now. */
export type OfferSide = 'buyer' | 'owner';

export function hasTurn(side: OfferSide, status: OfferStatus): boolean {
  return status === (side === 'owner' ? 'OPEN' : 'COUNTERED');
}
