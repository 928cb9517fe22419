import type { PayoutList } from '../../../../shared/settlement/payouts/read-payouts.ts';
import {
  payoutApprove,
  payoutFilePaid,
  payoutMakeFile,
  payoutMarkFailed,
  payoutMarkPaid,
  payoutReverse,
  payoutSend,
  repaymentMarkPaid,
} from '../../actions/payout-actions.ts';
import * as subjects from '../action-subjects.ts';
import { PAYOUT_FILES_PATH } from '../console-paths.ts';
import { always, form } from './action-form.ts';

const payout = { section: 'payouts', given: ['id'], subject: subjects.payout } as const;

/** The state that decides which actions on a payout are possible. */
export interface PayoutState {
  list: PayoutList;
  /** The approval of a payout that takes two people. */
  approval?: 'missing' | 'by viewer' | 'by another';
  /** The payment provider was asked to send it, and will report the result. */
  isSent: boolean;
  /** Whether the partner has an account at the payment provider. */
  isConnected: boolean;
}

/** Actions on a payout. */
export const PAYOUT_FORMS = {
  'payout-approve': form({
    ...payout,
    action: payoutApprove,
    link: 'Approve',
    tone: 'primary',
    offered: ({ list, approval }: PayoutState) => list === 'pending' && approval === 'missing',
    title: (name) => `Approve ${name}?`,
    effect: 'A different person must then pay it.',
    button: 'Approve payout',
    done: (name) => `${name} is approved. Another person can pay it now.`,
  }),
  'payout-send': form({
    ...payout,
    action: payoutSend,
    link: 'Send by Stripe',
    offered: ({ list, approval = 'by another', isSent, isConnected }: PayoutState) =>
      list === 'pending' && approval === 'by another' && isConnected && !isSent,
    title: (name) => `Send ${name} by Stripe?`,
    effect: 'Stripe moves the money from our balance to the partner’s connected account.',
    button: 'Send payout',
    done: (name) => `We asked Stripe to send ${name}.`,
  }),
  'payout-mark-paid': form({
    ...payout,
    action: payoutMarkPaid,
    link: 'Mark as paid',
    offered: ({ list, approval = 'by another', isSent }: PayoutState) =>
      list === 'pending' && approval === 'by another' && !isSent,
    title: (name) => `Mark ${name} as paid?`,
    effect: 'Records that the money was sent, with the reference of the payment.',
    button: 'Mark as paid',
    done: (name) => `${name} is paid.`,
  }),
  'payout-mark-failed': form({
    ...payout,
    action: payoutMarkFailed,
    link: 'Mark as failed',
    tone: 'danger',
    offered: ({ list, isSent }: PayoutState) => (list === 'pending' || list === 'held') && !isSent,
    title: (name) => `Mark ${name} as failed?`,
    effect: 'The amount is owed again, and a later settlement run pays it.',
    button: 'Mark as failed',
    done: (name) => `${name} has failed.`,
  }),
  'payout-reverse': form({
    ...payout,
    action: payoutReverse,
    link: 'Reverse',
    tone: 'danger',
    offered: ({ list }: PayoutState) => list === 'paid',
    title: (name) => `Reverse ${name}?`,
    effect:
      'Records that its payment came back, with the reference of the return. The amount is owed again, and a later settlement run pays it.',
    button: 'Reverse payout',
    done: (name) => `${name} is reversed.`,
  }),
};

export const PAYOUT_FILE_FORMS = {
  'payout-make-file': form({
    action: payoutMakeFile,
    section: 'payouts',
    given: [],
    subject: subjects.noSubject(PAYOUT_FILES_PATH),
    link: 'Make a bank file',
    tone: 'primary',
    offered: always,
    title: () => 'Make a bank file',
    effect:
      'It contains the payable LIVE payouts in this currency that are in no other file. Upload it to the bank, then record that it was paid.',
    button: 'Make bank file',
    done: (_name, { payouts }) => `Created a bank file with ${payouts} payouts.`,
  }),
  'payout-file-paid': form({
    action: payoutFilePaid,
    section: 'payouts',
    given: ['id'],
    subject: subjects.payoutFile,
    link: 'Mark as paid',
    offered: always,
    title: (name) => `Mark all payouts of ${name} as paid?`,
    effect: 'Records that the money was sent. Partners get their remittance advices.',
    button: 'Mark as paid',
    done: (_name, { paid, others }) =>
      `Paid now: ${paid}.${Array.isArray(others) ? ` Already recorded otherwise: ${others.length}. See the lists of paid and failed payouts.` : ''}`,
  }),
};

export const REPAYMENT_FORMS = {
  'repayment-mark-paid': form({
    given: ['order'],
    subject: subjects.repayment,
    action: repaymentMarkPaid,
    section: 'payouts',
    link: 'Mark as paid',
    offered: always,
    title: (name) => `Mark the buyer of ${name} as paid back?`,
    effect: 'Records that the buyer was refunded, with the reference of the payment.',
    button: 'Mark as paid back',
    done: (name) => `The buyer of ${name} is paid back.`,
  }),
};
