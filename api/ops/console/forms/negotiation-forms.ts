import { hasTurn, type OfferStatus } from '../../../../shared/sales/offers/offer.ts';
import { brokerageMove } from '../../actions/brokerage-actions.ts';
import { offerAccept, offerCounter, offerDecline } from '../../actions/offer-actions.ts';
import * as subjects from '../action-subjects.ts';
import { always, form } from './action-form.ts';

const brokerage = {
  action: brokerageMove,
  section: 'brokerage',
  given: ['case', 'to'],
  subject: subjects.brokerageCase,
} as const;

export const BROKERAGE_FORMS = {
  'brokerage-move': form({
    ...brokerage,
    without: ['deal_price_cents'],
    link: 'Update case',
    offered: always,
    title: (name) => `Update ${name}?`,
    effect: 'The partner is notified.',
    button: 'Update case',
    done: (name, { status }) => `${name} is ${status}.`,
  }),
  'brokerage-complete': form({
    ...brokerage,
    without: ['offer_cents'],
    required: ['deal_price_cents'],
    hints: { deal_price_cents: 'The agreed price.' },
    link: 'Record the deal',
    tone: 'primary',
    offered: always,
    title: (name) => `Record the deal of ${name}?`,
    effect:
      'This records a paid order with the partner’s commission and notifies the partner. It cannot be undone.',
    button: 'Record deal',
    done: (name, { status }) => `${name} is ${status}.`,
  }),
};

const offer = { section: 'offers', given: ['offer'], subject: subjects.offer } as const;

const waitsForOwner = (status: OfferStatus) => hasTurn('owner', status);

/** Answers to an offer on the owner's behalf, by its status. */
export const OFFER_FORMS = {
  'offer-accept': form({
    ...offer,
    action: offerAccept,
    link: 'Accept',
    tone: 'primary',
    offered: waitsForOwner,
    title: (name) => `Accept ${name}?`,
    effect: 'The domain is held for the buyer, who has 48 hours to pay the price.',
    button: 'Accept offer',
    done: (name) => `${name} is accepted.`,
  }),
  'offer-counter': form({
    ...offer,
    action: offerCounter,
    link: 'Counter',
    offered: waitsForOwner,
    hints: {
      amount_cents: 'The owner’s price: above the offer, up to the price.',
    },
    title: (name) => `Counter ${name}?`,
    effect: 'The buyer can accept this price, make another offer, or decline.',
    button: 'Counter offer',
    done: (name) => `${name} is countered.`,
  }),
  'offer-decline': form({
    ...offer,
    action: offerDecline,
    link: 'Decline',
    tone: 'danger',
    offered: waitsForOwner,
    title: (name) => `Decline ${name}?`,
    effect: 'The partner is notified. This cannot be undone; the buyer can make another offer.',
    button: 'Decline offer',
    done: (name) => `${name} is declined.`,
  }),
};
