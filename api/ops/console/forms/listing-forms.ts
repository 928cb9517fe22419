import type { ListingStatus } from '../../../../shared/market/inventory/listing.ts';
import {
  domainRelease,
  listingAdd,
  listingDelist,
  listingPrice,
} from '../../actions/domain-actions.ts';
import { legalHoldLift, legalHoldPlace } from '../../actions/legal-hold-actions.ts';
import { listingOfferFloor } from '../../actions/offer-actions.ts';
import * as subjects from '../action-subjects.ts';
import { LEGAL_HOLDS_PATH } from '../console-paths.ts';
import { always, form } from './action-form.ts';

/** Actions on a listing, by its status. */
export const MARKET_FORMS = {
  'listing-price': form({
    action: listingPrice,
    section: 'listings',
    given: ['environment', 'domain'],
    subject: subjects.listing,
    link: 'Reprice',
    offered: (status: ListingStatus) => status === 'listed',
    title: (name) => `Change the price of ${name}?`,
    effect: 'Searches and new quotes use the new price at once. Open quotes keep theirs.',
    button: 'Change price',
    done: (name) => `${name} has its new price.`,
  }),
  'listing-offer-floor': form({
    action: listingOfferFloor,
    section: 'listings',
    given: ['environment', 'domain'],
    subject: subjects.listing,
    link: 'Offer floor',
    offered: (status: ListingStatus) => status === 'listed',
    hints: { floor_cents: 'Leave it empty to accept no offer automatically.' },
    title: (name) => `Set the floor of ${name}`,
    effect:
      'Offers that reach it are accepted automatically. Buyers and partners never see the floor.',
    button: 'Set floor',
    done: (name, { accepts_at_once }) =>
      accepts_at_once ? `The floor of ${name} is set.` : `The floor of ${name} is removed.`,
  }),
  'listing-delist': form({
    action: listingDelist,
    section: 'listings',
    given: ['environment', 'domain'],
    subject: subjects.listing,
    link: 'Delist',
    tone: 'danger',
    offered: (status: ListingStatus) => status === 'listed',
    title: (name) => `Take ${name} off the market?`,
    effect: 'It can no longer be found or quoted. Open quotes and payments are still honored.',
    button: 'Delist',
    done: (name) => `${name} is off the market.`,
  }),
};

export const LEGAL_HOLD_FORMS = {
  'legal-hold-place': form({
    action: legalHoldPlace,
    section: 'listings',
    given: [],
    subject: subjects.noSubject(LEGAL_HOLDS_PATH),
    link: 'Place a hold',
    tone: 'danger',
    offered: always,
    title: () => 'Place a legal hold',
    effect:
      'From now on, nobody can sell, move or change this LIVE domain. A transfer in progress stops before its next step. A different person must lift the hold.',
    button: 'Place hold',
    done: (_name, { domain }) => `${domain} is on legal hold.`,
  }),
  'legal-hold-lift': form({
    action: legalHoldLift,
    section: 'listings',
    given: ['hold'],
    subject: subjects.legalHold,
    link: 'Lift',
    offered: always,
    title: (name) => `Lift the hold on ${name}?`,
    effect: 'Unless another hold is active, its listing, transfer and settings continue as before.',
    button: 'Lift hold',
    done: (name) => `You lifted the hold on ${name}.`,
  }),
};

/** Actions on a domain of an owner. */
export const OWNED_DOMAIN_FORMS = {
  'domain-release': form({
    action: domainRelease,
    section: 'owners',
    given: ['domain'],
    subject: subjects.takenDomain,
    link: 'Give up',
    tone: 'danger',
    offered: always,
    title: (name) => `Remove ${name} from its owner’s account?`,
    effect:
      'Do this only when the other registrar keeps the domain for good. The owner gets an email. A domain that comes back returns to their account by itself.',
    button: 'Remove domain',
    done: (name) => `${name} is no longer in its owner’s account.`,
  }),
};

export const NEW_LISTING_FORMS = {
  'listing-add': form({
    action: listingAdd,
    section: 'listings',
    given: [],
    subject: subjects.noSubject('/ops/listings'),
    link: 'Add a listing',
    tone: 'primary',
    offered: () => true,
    title: () => 'Add a listing',
    effect: 'The domain is on the market at once.',
    button: 'Add listing',
    hints: { keywords: 'Words to find it by, separated by commas.' },
    done: (_name, { domain_unicode }) => `${domain_unicode} is on the market.`,
  }),
};
