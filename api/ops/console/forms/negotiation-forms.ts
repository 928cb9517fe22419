import { hasTurn, type OfferStatus } from '../../../../shared/sales/offers/offer.ts';
import { brokerageMove } from '../../actions/brokerage-actions.ts';
import { offerAccept, offerCounter, offerDecline } from '../../actions/offer-actions.ts';
import * as subjects from '../action-subjects.ts';
import { always, form } from './action-form.ts';

export const BROKERAGE_FORMS = {
  'brokerage-move': form({
    action: brokerageMove,
    section: 'brokerage',
    given: ['case', 'to'],
    subject: subjects.brokerageCase,
    link: 'Update case',
    offered: always,
    title: (name) => `Update ${name}?`,
    effect:
      'The partner is notified. COMPLETED records the deal as a paid order with the partner’s commission; this cannot be undone.',
    button: 'Update case',
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
      amount_cents: 'The owner’s price, in minor units: above the offer, up to the price.',
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
