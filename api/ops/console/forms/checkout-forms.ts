import { checkoutClear, checkoutDecline } from '../../actions/checkout-actions.ts';
import * as subjects from '../action-subjects.ts';
import { always, form } from './action-form.ts';

const review = {
  section: 'review',
  given: ['session'],
  subject: subjects.checkoutReview,
  offered: always,
} as const;

/** Actions on a purchase that waits for review before its payment. */
export const CHECKOUT_FORMS = {
  'checkout-clear': form({
    ...review,
    action: checkoutClear,
    link: 'Approve',
    tone: 'primary',
    title: (name) => `Approve the purchase of ${name}?`,
    effect: 'We email the buyer the link. They have 24 hours to pay this price.',
    button: 'Approve purchase',
    done: (name) => `The purchase of ${name} is approved. The buyer can pay.`,
  }),
  'checkout-decline': form({
    ...review,
    action: checkoutDecline,
    link: 'Decline',
    tone: 'danger',
    title: (name) => `Decline the purchase of ${name}?`,
    effect:
      'Nothing was charged. We email the buyer, and the domain is free again. This cannot be undone.',
    button: 'Decline purchase',
    done: (name) => `The purchase of ${name} is declined.`,
  }),
};
