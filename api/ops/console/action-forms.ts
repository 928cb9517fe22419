import { partnerPath, personPath } from '../../pages/kit/format.ts';
import type { Markup } from '../../pages/kit/html.ts';
import { brokerageMove } from '../actions/brokerage-actions.ts';
import { listingRelist } from '../actions/domain-actions.ts';
import { ledgerCheck } from '../actions/ledger-actions.ts';
import {
  orderCancel,
  orderClear,
  orderConfirmDelivery,
  orderRefund,
  orderRetryTransfer,
  orderStartTransfer,
  refundApprove,
  refundDecline,
} from '../actions/order-actions.ts';
import {
  credentialCreate,
  credentialRevoke,
  credentialRotate,
  partnerCreate,
  partnerResume,
  partnerSuspend,
} from '../actions/partner-actions.ts';
import {
  payoutMarkFailed,
  payoutMarkPaid,
  payoutReverse,
  repaymentMarkPaid,
} from '../actions/payout-actions.ts';
import {
  settlementMarkPaid,
  settlementReversePayment,
  settlementRun,
} from '../actions/settlement-actions.ts';
import {
  grantRevoke,
  sessionRevokeAll,
  userCreate,
  userDisable,
  userEnable,
  userSetPassword,
} from '../actions/user-actions.ts';
import { webhookResend } from '../actions/webhook-actions.ts';
import type { OpsAction, OpsAnswer, OpsContext } from '../ops-action.ts';
import type { ActionSubject } from './action-subjects.ts';
import * as about from './action-subjects.ts';
import type { Section } from './console-page.ts';
import { newKeyPairNotice } from './pages/partner-pages.ts';

/** The way to one action: the question, what is asked besides, and what is said when it was done. */
export interface ActionForm {
  action: OpsAction;
  section: Section;
  /** Fields of the action that come with the link and are not asked for. */
  given: readonly string[];
  /** Fields that only a command can set. */
  without?: readonly string[];
  /** Fields that must be filled in here, with a hint of their own. */
  needs?: Readonly<Record<string, string>>;
  title(subject: string): string;
  /** What will happen, in a sentence. */
  effect: string;
  button: string;
  danger?: boolean;
  about(context: OpsContext, given: Readonly<Record<string, string>>): Promise<ActionSubject>;
  done(subject: string, answer: OpsAnswer): string;
  /** Where to go afterwards, when the answer says so. */
  next?(answer: OpsAnswer): string | undefined;
  /** What is shown in place of going on: a secret that no other page can show. */
  reveal?(answer: OpsAnswer): Markup;
}

const person = { section: 'people', given: ['user'], about: about.person } as const;
const order = { section: 'orders', given: ['order'], about: about.order } as const;

/** THE TABLE of what can be done in the console; each row calls the action of the same name. */
const ACTION_FORMS: readonly ActionForm[] = [
  {
    ...order,
    action: orderClear,
    title: (name) => `Clear ${name}?`,
    effect: 'The review ends well: the order goes on to its transfer, and the partner is told.',
    button: 'Clear the order',
    done: (name) => `${name} is cleared.`,
  },
  {
    ...order,
    action: orderCancel,
    title: (name) => `Cancel ${name}?`,
    effect: 'The sale is taken back and the domain is listed again. This cannot be undone.',
    button: 'Cancel the order',
    danger: true,
    done: (name) => `${name} is cancelled.`,
  },
  {
    ...order,
    action: orderRefund,
    title: (name) => `Refund ${name}?`,
    effect:
      'The sale is taken back. After delivery this is a clawback: the domain is gone, and the money comes off the next statement. This cannot be undone.',
    button: 'Refund the order',
    danger: true,
    done: (name, { status }) =>
      status === 'REFUNDED'
        ? `${name} is refunded.`
        : `The registrar is being asked to stop the push of ${name}. The refund follows when it has.`,
  },
  {
    ...order,
    action: refundApprove,
    title: (name) => `Refund ${name} anyway?`,
    effect:
      'The domain may be in the account of the buyer. The sale is taken back all the same, and the domain stays off the market. This cannot be undone.',
    button: 'Refund anyway',
    danger: true,
    done: (name) => `${name} is refunded.`,
  },
  {
    ...order,
    action: refundDecline,
    title: (name) => `Decline the refund of ${name} and deliver it?`,
    effect:
      'The order goes on. A domain that the registrar has moved counts as delivered, and the settlement clock starts; any other transfer needs action.',
    button: 'Decline and deliver',
    done: (name, { status }) =>
      status === 'TRANSFER_COMPLETED'
        ? `${name} is delivered.`
        : `The refund of ${name} is declined. Its transfer needs action.`,
  },
  {
    action: listingRelist,
    section: 'orders',
    given: ['environment', 'domain'],
    without: ['returned'],
    about: about.listing,
    title: (name) => `Put ${name} back on the market?`,
    effect: 'The domain is listed again at its price, and can be sold at once.',
    button: 'Relist the domain',
    done: (name) => `${name} is on the market again.`,
  },
  {
    ...order,
    action: orderStartTransfer,
    title: (name) => `Push ${name}?`,
    effect: "The domain is pushed to the partner's registrar, and the partner is told.",
    button: 'Start the push',
    done: (name) => `The push of ${name} has started.`,
  },
  {
    ...order,
    action: orderRetryTransfer,
    title: (name) => `Push ${name} once more?`,
    effect: 'A new push begins, under a new reference at the registrar.',
    button: 'Push again',
    done: (name) => `${name} is pushed once more.`,
  },
  {
    ...order,
    action: orderConfirmDelivery,
    title: (name) => `Confirm the delivery of ${name}?`,
    effect:
      'Confirm what you have seen: the domain is in the account of the buyer. The settlement clock starts.',
    button: 'Confirm the delivery',
    done: (name) => `${name} is delivered.`,
  },
  {
    action: webhookResend,
    section: 'webhooks',
    given: ['delivery'],
    without: ['event'],
    about: about.delivery,
    title: (name) => `Send ${name} again?`,
    effect:
      'The event is sent to the present endpoint as a new delivery, with a schedule of its own.',
    button: 'Send again',
    done: (name) => `${name} is on its way again.`,
  },
  {
    action: brokerageMove,
    section: 'brokerage',
    given: ['case', 'to'],
    about: about.brokerageCase,
    title: (name) => `Move ${name} on?`,
    effect:
      'The partner is told. COMPLETED records the deal as a paid order with the partner’s cut; this cannot be undone.',
    button: 'Move the case',
    done: (name, { status }) => `${name} is ${status}.`,
  },
  {
    action: payoutMarkPaid,
    section: 'payouts',
    given: ['id'],
    about: about.payout,
    title: (name) => `Mark ${name} as paid?`,
    effect: 'Records that the money has left, under the reference of the payment.',
    button: 'Mark as paid',
    done: (name) => `${name} is paid.`,
  },
  {
    action: payoutMarkFailed,
    section: 'payouts',
    given: ['id'],
    about: about.payout,
    title: (name) => `Mark ${name} as failed?`,
    effect: 'The amount is owed again, and a later settlement run pays it.',
    button: 'Mark as failed',
    danger: true,
    done: (name) => `${name} has failed.`,
  },
  {
    action: payoutReverse,
    section: 'payouts',
    given: ['id'],
    about: about.payout,
    title: (name) => `Reverse ${name}?`,
    effect:
      'Records that its payment came back, under the reference of the return. The amount is owed again, and a later settlement run pays it.',
    button: 'Reverse the payout',
    danger: true,
    done: (name) => `${name} is reversed.`,
  },
  {
    ...order,
    action: repaymentMarkPaid,
    section: 'payouts',
    title: (name) => `Mark the buyer of ${name} as paid back?`,
    effect: 'Records that the buyer has the money back, under the reference of the payment.',
    button: 'Mark as paid back',
    done: (name) => `The buyer of ${name} is paid back.`,
  },
  {
    action: settlementRun,
    section: 'settlements',
    given: [],
    without: ['until'],
    needs: { period: 'A month, such as 2026-11.' },
    about: about.noSubject('/ops/settlements'),
    title: () => 'Run a settlement?',
    effect: 'Closes every period that is due. A month that is running is closed up to now.',
    button: 'Run the settlement',
    done: () => 'The settlement run is under way.',
    next: ({ run_id }) => `/ops/settlement-runs/${run_id}`,
  },
  {
    action: settlementMarkPaid,
    section: 'settlements',
    given: ['id'],
    about: about.settlement,
    title: (name) => `Mark ${name} as paid?`,
    effect: 'Records that the amount has been paid, under the reference of the payment.',
    button: 'Mark as paid',
    done: (name) => `${name} is paid.`,
  },
  {
    action: settlementReversePayment,
    section: 'settlements',
    given: ['id'],
    about: about.settlement,
    title: (name) => `Reverse the payment of ${name}?`,
    effect:
      'Records that its payment came back, under the reference of the return. The statement is closed again, and to be paid.',
    button: 'Reverse the payment',
    danger: true,
    done: (name) => `The payment of ${name} is reversed.`,
  },
  {
    action: partnerCreate,
    section: 'partners',
    given: [],
    about: about.noSubject('/ops/partners'),
    title: () => 'Open a partner account',
    effect: 'The account has no key pair at first.',
    button: 'Open the account',
    done: () => 'The account is open.',
    next: ({ partner_id }) => partnerPath(String(partner_id)),
  },
  {
    action: partnerSuspend,
    section: 'partners',
    given: ['partner'],
    about: about.partner,
    title: (name) => `Suspend ${name}?`,
    effect:
      'Every signed request of this partner is refused at once, and its payouts are held, until it is resumed.',
    button: 'Suspend the partner',
    danger: true,
    done: (name) => `${name} is suspended.`,
  },
  {
    action: partnerResume,
    section: 'partners',
    given: ['partner'],
    about: about.partner,
    title: (name) => `Resume ${name}?`,
    effect: 'Its key pairs work again at once, and its payouts may be paid.',
    button: 'Resume the partner',
    done: (name) => `${name} is active again.`,
  },
  {
    action: credentialCreate,
    section: 'partners',
    given: ['partner'],
    about: about.partner,
    title: (name) => `A key pair for ${name}`,
    effect: 'The secret is shown once, on the next page. Have a safe place for it ready.',
    button: 'Issue the key pair',
    done: () => 'Issued.',
    reveal: newKeyPairNotice,
  },
  {
    action: credentialRotate,
    section: 'partners',
    given: ['key_id'],
    about: about.credential,
    title: (name) => `Rotate ${name}?`,
    effect:
      'A successor with the same scopes is issued, and its secret shown once, on the next page. The old pair stays good for the overlap.',
    button: 'Rotate the key pair',
    done: () => 'Rotated.',
    reveal: newKeyPairNotice,
  },
  {
    action: credentialRevoke,
    section: 'partners',
    given: ['key_id'],
    about: about.credential,
    title: (name) => `Revoke ${name}?`,
    effect: 'Whatever is signed with it is refused at once and for good.',
    button: 'Revoke the key pair',
    danger: true,
    done: (name) => `${name} is revoked.`,
  },
  {
    action: userCreate,
    section: 'people',
    given: [],
    about: about.noSubject('/ops/people'),
    title: () => 'Open an account',
    effect: 'The person can sign in at once. Hand over the password in a safe way.',
    button: 'Open the account',
    done: () => 'The account is open.',
    next: ({ user_id }) => personPath(String(user_id)),
  },
  {
    ...person,
    action: userDisable,
    title: (name) => `Disable ${name}?`,
    effect:
      'Nobody signs in with this account. Its sessions and the clients that it allowed end at once, and stay ended when it is enabled again.',
    button: 'Disable the account',
    danger: true,
    done: (name) => `${name} is disabled.`,
  },
  {
    ...person,
    action: userEnable,
    title: (name) => `Enable ${name}?`,
    effect: 'The person can sign in again.',
    button: 'Enable the account',
    done: (name) => `${name} is active again.`,
  },
  {
    ...person,
    action: userSetPassword,
    title: (name) => `Set a password for ${name}`,
    effect:
      'The old password stops working. The sessions of the account and the clients that it allowed end at once.',
    button: 'Set the password',
    done: (name) => `${name} has a new password.`,
  },
  {
    ...person,
    action: sessionRevokeAll,
    title: (name) => `Sign ${name} out everywhere?`,
    effect: 'Every browser and every bearer token of this account is signed out at once.',
    button: 'Sign out everywhere',
    danger: true,
    done: (name) => `${name} is signed out everywhere.`,
  },
  {
    ...person,
    action: grantRevoke,
    given: ['user', 'client'],
    title: (name) => `Revoke what ${name} allowed?`,
    effect: 'The tokens of this client are refused at once. It has to ask the person again.',
    button: 'Revoke',
    danger: true,
    done: (name) => `${name}: revoked.`,
  },
  {
    action: ledgerCheck,
    section: 'ledger',
    given: [],
    about: about.noSubject('/ops/ledger'),
    title: () => 'Check the ledger now?',
    effect:
      'Recounts what is new, or everything, from the orders and the statements. It changes nothing, and may take a while.',
    button: 'Check the ledger',
    done: (_name, { ok, entries }) =>
      ok ? `The books balance: ${entries} entries.` : 'The books do not balance. See below.',
  },
];

const BY_NAME = new Map(ACTION_FORMS.map((form) => [form.action.name.replace(':', '-'), form]));

/** The form of an action by its name in a path: `order-clear`. */
export function findActionForm(name: string): ActionForm | undefined {
  return BY_NAME.get(name);
}

/** Every form with its name. */
export function actionForms(): ReadonlyMap<string, ActionForm> {
  return BY_NAME;
}
