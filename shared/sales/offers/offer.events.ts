import { Type } from 'typebox';
import { defineEvents, type NewEvent, newEvent } from '../../messaging/event-types/event.ts';
import { Instant, nullable } from '../../platform/json-schema.ts';
import { OFFER_STATUSES, type Offer, type OfferStatus } from './offer.ts';

const OfferInEvent = Type.Object(
  {
    id: Type.String({ description: 'The offer ID.' }),
    domain: Type.String({ description: 'The domain that the buyer wants.' }),
    status: Type.Enum([...OFFER_STATUSES], { description: 'The status after this step.' }),
    amount_cents: Type.Integer({ description: "The buyer's latest offer, in minor units." }),
    counter_cents: nullable(Type.Integer({ description: "The owner's latest price." })),
    price_cents: nullable(Type.Integer({ description: 'The agreed price.' })),
    currency: Type.String({ description: 'ISO 4217.' }),
    expires_at: { ...Instant, description: 'The deadline for a response.' },
  },
  { title: 'OfferInEvent', description: 'The offer after this step.' },
);

const example = (status: OfferStatus, counter: number | null, price: number | null) => ({
  offer: {
    id: 'ofr_01k6q0v3b5ewyszm8k2n4p6r8t',
    domain: 'neonwallet.com',
    status,
    amount_cents: 400_000,
    counter_cents: counter,
    price_cents: price,
    currency: 'USD',
    expires_at: '2026-11-28T09:30:00.000Z',
  },
});

/** The events for the steps of an offer. */
export const OFFER_EVENTS = defineEvents(
  { about: 'offer', data: Type.Object({ offer: OfferInEvent }, { title: 'OfferEventData' }) },
  {
    'offer.created': { when: 'A buyer made an offer.', example: example('OPEN', null, null) },
    'offer.countered': {
      when: 'The owner or the buyer offered another price.',
      example: example('COUNTERED', 450_000, null),
    },
    'offer.accepted': {
      when: 'A price was agreed; a quote keeps it for 48 hours.',
      example: example('ACCEPTED', 450_000, 450_000),
    },
    'offer.declined': {
      when: 'The owner or the buyer declined.',
      example: example('DECLINED', null, null),
    },
    'offer.expired': {
      when: 'Nobody answered in time, or the domain is no longer for sale or takes no more offers.',
      example: example('EXPIRED', null, null),
    },
  },
);

export type OfferEventType = keyof typeof OFFER_EVENTS;

/** Creates an `offer.*` event with the current state of an offer. It contains no personal data. */
export function offerEvent(type: OfferEventType, offer: Offer): NewEvent {
  return newEvent(OFFER_EVENTS[type], offer.id, {
    offer: {
      id: offer.id,
      domain: offer.domain,
      status: offer.status,
      amount_cents: offer.amount.amount,
      counter_cents: offer.counter?.amount ?? null,
      price_cents: offer.price?.amount ?? null,
      currency: offer.amount.currency,
      expires_at: offer.expiresAt.toISOString(),
    },
  });
}
