import type { UndoneRenewal } from '../../../../shared/sales/renewals/undone-renewals.ts';
import { renewalRefund, renewalRetry } from '../../actions/renewal-actions.ts';
import * as subjects from '../action-subjects.ts';
import { form } from './action-form.ts';

const renewal = {
  section: 'payments',
  given: ['renewal'],
  subject: subjects.undoneRenewal,
} as const;

/** Actions on a renewal that is paid but not completed. */
export const RENEWAL_FORMS = {
  'renewal-retry': form({
    ...renewal,
    action: renewalRetry,
    link: 'Try again',
    tone: 'primary',
    offered: ({ state }: UndoneRenewal) => state !== 'trying',
    title: (name) => `Renew ${name} now?`,
    effect:
      'We ask the registry until it answers, for up to a day. Nothing is renewed twice. A payment under review counts as approved: if it is declined later, the owner gets a refund and keeps the renewal.',
    button: 'Try again',
    done: (name) => `The registry is being asked to renew ${name}.`,
  }),
  'renewal-refund': form({
    ...renewal,
    action: renewalRefund,
    link: 'Refund',
    tone: 'danger',
    offered: () => true,
    title: (name) => `Refund the renewal of ${name}?`,
    effect:
      'The payment is refunded to the owner, with a credit note and an email. We first ask the registry whether it has renewed the domain, and do not ask it to renew again.',
    button: 'Refund',
    done: (name) => `The renewal of ${name} is being refunded.`,
  }),
};
