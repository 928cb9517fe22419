import type { TObject } from 'typebox';
import type { ReplayState } from '../../../shared/delivery/webhooks/replay.ts';
import type { ListingStatus } from '../../../shared/market/inventory/listing.ts';
import type { PartnerStatus } from '../../../shared/people/partners/partner.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { hasTurn, type OfferStatus } from '../../../shared/sales/offers/offer.ts';
import {
  ORDER_MOVES,
  type OrderMoveName,
  type OrderStatus,
} from '../../../shared/sales/orders/order.ts';
import {
  type Cancellation,
  canMove,
  type TransferMoveName,
  type TransferStatus,
} from '../../../shared/sales/transfers/transfer.ts';
import type { PayoutList } from '../../../shared/settlement/payouts/read-payouts.ts';
import type { StoredStatus } from '../../../shared/settlement/statements/read-statements.ts';
import { formatInstant } from '../../pages/kit/format.ts';
import { descriptionList, notice } from '../../pages/kit/page-parts.ts';
import { brokerageMove } from '../actions/brokerage-actions.ts';
import {
  listingAdd,
  listingDelist,
  listingPrice,
  listingRelist,
} from '../actions/domain-actions.ts';
import { ledgerCheck } from '../actions/ledger-actions.ts';
import { mailResend } from '../actions/mail-actions.ts';
import { memberInvite, staffInvite } from '../actions/member-actions.ts';
import {
  listingOfferFloor,
  offerAccept,
  offerCounter,
  offerDecline,
} from '../actions/offer-actions.ts';
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
  credentialChange,
  credentialCreate,
  credentialRevoke,
  credentialRotate,
  partnerApprove,
  partnerCreate,
  partnerResume,
  partnerSetConnectedAccount,
  partnerSetPayoutAccount,
  partnerSetTaxProfile,
  partnerSuspend,
} from '../actions/partner-actions.ts';
import {
  payoutApprove,
  payoutFilePaid,
  payoutMakeFile,
  payoutMarkFailed,
  payoutMarkPaid,
  payoutReverse,
  payoutSend,
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
  staffSetRole,
  userCreate,
  userDisable,
  userEnable,
  userResetSecondFactor,
  userSetPassword,
} from '../actions/user-actions.ts';
import {
  webhookCancelReplay,
  webhookReplay,
  webhookResend,
  webhookTest,
} from '../actions/webhook-actions.ts';
import type { ActionOf, OpsAction, OpsAnswer, OpsContext } from '../ops-action.ts';
import type { ActionSubject } from './action-subjects.ts';
import * as subjects from './action-subjects.ts';
import type { Section } from './console-page.ts';
import {
  PAYOUT_FILES_PATH,
  partnerPath,
  personPath,
  replaysPath,
  settlementRunPath,
} from './console-paths.ts';

/** A form of the console: the question before an action, what it asks for, and what is said when it was done. */
export interface ActionForm {
  action: OpsAction;
  section: Section;
  /** On the button that leads to the form. */
  link: string;
  /** How that button looks. */
  tone?: 'danger' | 'primary';
  /** Fields of the action that come with the link and are not asked for. */
  given: readonly string[];
  /** Fields that only a command can set. */
  without?: readonly string[];
  /** Fields that must be filled in here, though the action could do without. */
  required?: readonly string[];
  /** Said below a field in place of what the action's schema says. */
  hints?: Readonly<Record<string, string>>;
  title(subject: string): string;
  /** What will happen, in a sentence. */
  effect: string;
  /** On the button that does it. */
  button: string;
  subject(context: OpsContext, given: Readonly<Record<string, string>>): Promise<ActionSubject>;
  done(subject: string, answer: OpsAnswer): string;
  /** Where to go afterwards, when the answer says so. */
  next?(answer: OpsAnswer): string | undefined;
  /** What is shown in place of going on: a secret that no other page can show. */
  reveal?(answer: OpsAnswer): Markup;
}

type FieldOf<I extends TObject> = keyof I['properties'] & string;

/** A form whose fields are those of its action. */
function form<I extends TObject, const G extends FieldOf<I>, S = unknown>(
  options: Omit<ActionForm, 'action' | 'given' | 'without' | 'required' | 'hints'> & {
    action: ActionOf<I>;
    given: readonly G[];
    without?: readonly FieldOf<I>[];
    required?: readonly FieldOf<I>[];
    hints?: Readonly<Partial<Record<FieldOf<I>, string>>>;
    /** Whether the state of its subject allows it now. */
    offered(state: S): boolean;
    /** On the button, where that depends on the state. */
    linkFor?(state: S): string;
  },
) {
  return options;
}

const always = () => true;

/** What decides which moves of an order are possible. */
export interface OrderState {
  status: OrderStatus;
  transfer: { status: TransferStatus; cancellation: Cancellation | null } | null;
  /** Where the listing of its domain stands, where that is known. */
  listing?: ListingStatus | undefined;
}

/** The tables of the marketplace say from where a move can be made. */
function canOrder({ status }: OrderState, move: OrderMoveName): boolean {
  return (ORDER_MOVES[move].from as readonly OrderStatus[]).includes(status);
}

/** While a refund waits, nothing but its end moves the transfer. */
function canTransfer({ transfer }: OrderState, move: TransferMoveName): boolean {
  return transfer !== null && transfer.cancellation === null && canMove(move, transfer.status);
}

/** Whether the registrar did not stop the transfer, so that people decide about the refund. */
function refundIsUndecided({ transfer }: OrderState): boolean {
  return transfer?.cancellation === 'too_late' || transfer?.cancellation === 'unanswered';
}

function canRefund(order: OrderState): boolean {
  if (canOrder(order, 'claw_back')) return true;
  const { transfer } = order;
  const free = transfer === null || transfer.cancellation === null;
  return canOrder(order, 'refund') && free && transfer?.status !== 'awaiting_confirmation';
}

const order = { section: 'orders', given: ['order'], subject: subjects.order } as const;

/** What can be done with an order, in the order of its page. */
export const ORDER_FORMS = {
  'order-clear': form({
    ...order,
    action: orderClear,
    link: 'Approve',
    tone: 'primary',
    offered: (state: OrderState) => canOrder(state, 'clear'),
    title: (name) => `Approve ${name}?`,
    effect: 'The order is approved: its transfer can start, and the partner is notified.',
    button: 'Approve order',
    done: (name) => `${name} is approved.`,
  }),
  'order-start-transfer': form({
    ...order,
    action: orderStartTransfer,
    link: 'Start transfer',
    tone: 'primary',
    offered: (state: OrderState) => canOrder(state, 'start_transfer'),
    title: (name) => `Start the transfer of ${name}?`,
    effect: 'The domain is transferred to the partner’s registrar, and the partner is notified.',
    button: 'Start transfer',
    done: (name) => `The transfer of ${name} has started.`,
  }),
  'order-confirm-delivery': form({
    ...order,
    action: orderConfirmDelivery,
    link: 'Confirm delivery',
    tone: 'primary',
    offered: (state: OrderState) =>
      canOrder(state, 'confirm_delivery') && canTransfer(state, 'complete'),
    title: (name) => `Confirm the delivery of ${name}?`,
    effect:
      'Confirm that you have seen the domain in the buyer’s account. The settlement clock starts.',
    button: 'Confirm delivery',
    done: (name) => `${name} is delivered.`,
  }),
  'order-retry-transfer': form({
    ...order,
    action: orderRetryTransfer,
    link: 'Retry transfer',
    offered: (state: OrderState) => canTransfer(state, 'retry'),
    title: (name) => `Retry the transfer of ${name}?`,
    effect: 'A new transfer starts, under a new reference at the registrar.',
    button: 'Retry transfer',
    done: (name) => `The transfer of ${name} has started again.`,
  }),
  'order-cancel': form({
    ...order,
    action: orderCancel,
    link: 'Cancel',
    tone: 'danger',
    offered: (state: OrderState) => canOrder(state, 'cancel'),
    title: (name) => `Cancel ${name}?`,
    effect: 'The sale is reversed and the domain is listed again. This cannot be undone.',
    button: 'Cancel order',
    done: (name) => `${name} is cancelled.`,
  }),
  'order-refund': form({
    ...order,
    action: orderRefund,
    link: 'Refund',
    linkFor: (state: OrderState) => (canOrder(state, 'claw_back') ? 'Claw back' : 'Refund'),
    tone: 'danger',
    offered: canRefund,
    title: (name) => `Refund ${name}?`,
    effect:
      'The sale is reversed. After delivery this is a clawback: the buyer keeps the domain, and the next statement deducts the amount. This cannot be undone.',
    button: 'Refund order',
    done: (name, { status }) =>
      status === 'REFUNDED'
        ? `${name} is refunded.`
        : `We asked the registrar to stop the transfer of ${name}. The refund follows once it has stopped.`,
  }),
  'refund-approve': form({
    ...order,
    action: refundApprove,
    link: 'Refund anyway',
    tone: 'danger',
    offered: refundIsUndecided,
    title: (name) => `Refund ${name} anyway?`,
    effect:
      'The domain may already be in the buyer’s account. The sale is reversed anyway, and the domain stays off the market. This cannot be undone.',
    button: 'Refund anyway',
    done: (name) => `${name} is refunded.`,
  }),
  'refund-decline': form({
    ...order,
    action: refundDecline,
    link: 'Decline refund',
    offered: refundIsUndecided,
    title: (name) => `Decline the refund of ${name} and deliver it?`,
    effect:
      'The order goes on. If the registrar has moved the domain, it counts as delivered and the settlement clock starts. Otherwise its transfer needs action.',
    button: 'Decline and deliver',
    done: (name, { status }) =>
      status === 'TRANSFER_COMPLETED'
        ? `${name} is delivered.`
        : `The refund of ${name} is declined. Its transfer needs action.`,
  }),
};

export const LISTING_FORMS = {
  'listing-relist': form({
    action: listingRelist,
    section: 'orders',
    given: ['environment', 'domain'],
    without: ['returned'],
    subject: subjects.listing,
    link: 'Relist domain',
    offered: ({ status, listing }: OrderState) =>
      listing === 'sold' && (status === 'REFUNDED' || status === 'CANCELLED'),
    title: (name) => `Put ${name} back on the market?`,
    effect: 'The domain is listed again at its price and can be sold at once.',
    button: 'Relist domain',
    done: (name) => `${name} is on the market again.`,
  }),
};

/** What can be done with a listing, by its status. */
export const MARKET_FORMS = {
  'listing-price': form({
    action: listingPrice,
    section: 'listings',
    given: ['environment', 'domain'],
    subject: subjects.listing,
    link: 'Reprice',
    offered: (status: ListingStatus) => status === 'listed',
    title: (name) => `Change the price of ${name}?`,
    effect: 'Searches and new quotes have the new price at once. Open quotes keep theirs.',
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
    hints: { floor_cents: 'Such as 4,500.00. Empty: no offer is accepted at once.' },
    title: (name) => `From which offer on is ${name} sold?`,
    effect: 'Offers that reach it are accepted at once. No buyer or partner is told the floor.',
    button: 'Set floor',
    done: (name, { accepts_at_once }) =>
      accepts_at_once ? `${name} has its floor.` : `${name} has no floor.`,
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

const NEW_LISTING_FORMS = {
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

const WEBHOOK_FORMS = {
  'webhook-resend': form({
    action: webhookResend,
    section: 'webhooks',
    given: ['delivery'],
    without: ['event'],
    subject: subjects.delivery,
    link: 'Resend',
    offered: always,
    title: (name) => `Resend ${name}?`,
    effect: 'The event is sent to its endpoint as a new delivery, with its own retries.',
    button: 'Resend',
    done: (name) => `${name} was sent again.`,
  }),
};

/** What decides what can be sent to an endpoint. */
export interface EndpointState {
  active: boolean;
}

const endpoint = {
  section: 'webhooks',
  given: ['endpoint'],
  subject: subjects.endpoint,
  offered: ({ active }: EndpointState) => active,
} as const;

/** What can be sent to an endpoint. */
export const ENDPOINT_FORMS = {
  'webhook-test': form({
    ...endpoint,
    action: webhookTest,
    link: 'Send test event',
    title: (name) => `Send a test event to ${name}?`,
    effect: 'A signed webhook.ping is sent. It is not in the partner’s history.',
    button: 'Send test event',
    done: () => 'The test event is on its way.',
  }),
  'webhook-replay': form({
    ...endpoint,
    action: webhookReplay,
    link: 'Replay events',
    hints: {
      from: 'A day or a time in UTC, such as 2026-11-20 or 2026-11-20T09:30:00Z.',
      to: 'The first day or time that is not included.',
      event_types:
        'Types and patterns, such as order.*, transfer.completed. Defaults to all that the endpoint takes.',
    },
    title: (name) => `Replay events to ${name}`,
    effect: 'The events of the period are sent again, the oldest first. You can stop it any time.',
    button: 'Replay events',
    done: () => 'The replay has started.',
    next: ({ endpoint_id }) => replaysPath(String(endpoint_id)),
  }),
};

/** What can be done with a replay of each state. */
export const REPLAY_FORMS = {
  'webhook-cancel-replay': form({
    action: webhookCancelReplay,
    section: 'webhooks',
    given: ['replay'],
    subject: subjects.replay,
    link: 'Stop',
    tone: 'danger',
    offered: (state: ReplayState) => state === 'queued' || state === 'running',
    title: (name) => `Stop ${name}?`,
    effect: 'Deliveries of it that still wait are cancelled.',
    button: 'Stop replay',
    done: () => 'The replay is stopped.',
  }),
};

const MAIL_FORMS = {
  'mail-resend': form({
    action: mailResend,
    section: 'mail',
    given: ['mail'],
    subject: subjects.mail,
    link: 'Send again',
    offered: always,
    title: (name) => `Send this mail to ${name} again?`,
    effect: 'It is sent at once, if its address is not on the suppression list.',
    button: 'Send again',
    done: (name) => `The mail to ${name} is queued.`,
  }),
};

const BROKERAGE_FORMS = {
  'brokerage-move': form({
    action: brokerageMove,
    section: 'brokerage',
    given: ['case', 'to'],
    subject: subjects.brokerageCase,
    link: 'Update case',
    offered: always,
    hints: {
      offer_cents: 'The latest offer, such as 4,500.00.',
      deal_price_cents: 'The agreed price, such as 4,500.00. Required for COMPLETED.',
    },
    title: (name) => `Update ${name}?`,
    effect:
      'The partner is notified. COMPLETED records the deal as a paid order with the partner’s commission; this cannot be undone.',
    button: 'Update case',
    done: (name, { status }) => `${name} is ${status}.`,
  }),
};

const offer = { section: 'offers', given: ['offer'], subject: subjects.offer } as const;
const waitsForOwner = (status: OfferStatus) => hasTurn('owner', status);

/** What can be answered to an offer for the owner, by its status. */
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
      amount_cents: 'The owner’s price, such as 4,500.00: above the offer, up to the price.',
    },
    title: (name) => `Counter ${name}?`,
    effect: 'The buyer can accept this price, name another one, or decline.',
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

const payout = { section: 'payouts', given: ['id'], subject: subjects.payout } as const;

/** What decides what can be done with a payout. */
export interface PayoutState {
  list: PayoutList;
  /** Where paying it takes two people. */
  approval?: 'missing' | 'by viewer' | 'by another';
  /** The payment provider was asked to send it, and will tell its outcome. */
  isSent: boolean;
  /** The partner has an account there. */
  isConnected: boolean;
}

/** What can be done with a payout. */
export const PAYOUT_FORMS = {
  'payout-approve': form({
    ...payout,
    action: payoutApprove,
    link: 'Approve',
    tone: 'primary',
    offered: ({ list, approval }: PayoutState) => list === 'pending' && approval === 'missing',
    title: (name) => `Approve ${name}?`,
    effect: 'Somebody else can then pay it. You cannot.',
    button: 'Approve payout',
    done: (name) => `${name} is approved. Somebody else can pay it.`,
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
    done: (name) => `Stripe is asked to send ${name}.`,
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

const PAYOUT_FILE_FORMS = {
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
      'It has the LIVE payouts of the currency that can be paid and are in no other file. Upload it to the bank, then record that it was paid.',
    button: 'Make bank file',
    done: (_name, { payouts }) => `A bank file with ${payouts} payouts is made.`,
  }),
  'payout-file-paid': form({
    action: payoutFilePaid,
    section: 'payouts',
    given: ['id'],
    subject: subjects.payoutFile,
    link: 'Mark as paid',
    offered: always,
    title: (name) => `Mark all payouts of ${name} as paid?`,
    effect: 'Records that the money was sent. Partners get their advices.',
    button: 'Mark as paid',
    done: (_name, { paid }) => `${paid} payouts are paid.`,
  }),
};

const REPAYMENT_FORMS = {
  'repayment-mark-paid': form({
    ...order,
    action: repaymentMarkPaid,
    section: 'payouts',
    link: 'Mark as paid',
    offered: always,
    title: (name) => `Mark the buyer of ${name} as paid back?`,
    effect: 'Records that the buyer has the money back, with the reference of the payment.',
    button: 'Mark as paid back',
    done: (name) => `The buyer of ${name} is paid back.`,
  }),
};

const statement = {
  section: 'settlements',
  given: ['id'],
  subject: subjects.settlement,
} as const;

/** What can be done with a statement of each status. */
export const STATEMENT_FORMS = {
  'settlement-mark-paid': form({
    ...statement,
    action: settlementMarkPaid,
    link: 'Mark as paid',
    tone: 'primary',
    offered: (status: StoredStatus) => status === 'closed',
    title: (name) => `Mark ${name} as paid?`,
    effect: 'Records that the amount was paid, with the reference of the payment.',
    button: 'Mark as paid',
    done: (name) => `${name} is paid.`,
  }),
  'settlement-reverse-payment': form({
    ...statement,
    action: settlementReversePayment,
    link: 'Reverse payment',
    tone: 'danger',
    offered: (status: StoredStatus) => status === 'paid',
    title: (name) => `Reverse the payment of ${name}?`,
    effect:
      'Records that its payment came back, with the reference of the return. The statement is closed and unpaid again.',
    button: 'Reverse payment',
    done: (name) => `The payment of ${name} is reversed.`,
  }),
};

const SETTLEMENT_RUN_FORMS = {
  'settlement-run': form({
    action: settlementRun,
    section: 'settlements',
    given: [],
    without: ['until'],
    required: ['period'],
    hints: { period: 'A month, such as 2026-11.' },
    subject: subjects.noSubject('/ops/settlements'),
    link: 'Run settlement',
    offered: always,
    title: () => 'Run a settlement?',
    effect: 'Closes every period that is due. The current month is closed up to now.',
    button: 'Run settlement',
    done: () => 'The settlement run has started.',
    next: ({ run_id }) => settlementRunPath(String(run_id)),
  }),
};

const partner = { section: 'partners', given: ['partner'], subject: subjects.partner } as const;

/** What decides what can be done with a partner's account. */
export interface PartnerState {
  status: PartnerStatus;
  /** Whether it may have LIVE keys. */
  approved: boolean;
}

/** What can be done with a partner's account. */
export const PARTNER_FORMS = {
  'credential-create': form({
    ...partner,
    action: credentialCreate,
    link: 'Issue a key pair',
    tone: 'primary',
    offered: (_state: PartnerState) => true,
    title: (name) => `New key pair for ${name}`,
    effect: 'The secret is shown once, on the next page. Have a safe place for it ready.',
    button: 'Issue the key pair',
    done: () => 'The key pair is issued.',
    reveal: newKeyPair,
  }),
  'partner-approve': form({
    ...partner,
    action: partnerApprove,
    link: 'Approve for LIVE',
    offered: ({ approved }: PartnerState) => !approved,
    title: (name) => `Approve ${name} for LIVE?`,
    effect: 'It can have LIVE key pairs, and sell what they sell.',
    button: 'Approve partner',
    done: (name) => `${name} is approved.`,
  }),
  'partner-suspend': form({
    ...partner,
    action: partnerSuspend,
    link: 'Suspend',
    tone: 'danger',
    offered: ({ status }: PartnerState) => status === 'active',
    title: (name) => `Suspend ${name}?`,
    effect:
      'Every signed request of this partner is rejected at once, and its payouts are held, until you resume it.',
    button: 'Suspend partner',
    done: (name) => `${name} is suspended.`,
  }),
  'partner-resume': form({
    ...partner,
    action: partnerResume,
    link: 'Resume',
    offered: ({ status }: PartnerState) => status === 'suspended',
    title: (name) => `Resume ${name}?`,
    effect: 'Its key pairs work again at once, and its payouts can be paid.',
    button: 'Resume partner',
    done: (name) => `${name} is active again.`,
  }),
  'partner-set-tax-profile': form({
    ...partner,
    action: partnerSetTaxProfile,
    link: 'Tax profile',
    offered: (_state: PartnerState) => true,
    title: (name) => `Tax profile of ${name}`,
    effect: 'Documents from now on say this. Documents that were issued stay as they are.',
    button: 'Save tax profile',
    done: () => 'The tax profile is saved.',
  }),
  'partner-set-connected-account': form({
    ...partner,
    action: partnerSetConnectedAccount,
    link: 'Stripe account',
    offered: (_state: PartnerState) => true,
    title: (name) => `Connected account of ${name} at Stripe`,
    effect: 'Payouts that are sent by Stripe from now on go there.',
    button: 'Save account',
    done: (_name, { account }) => `${account} is saved.`,
  }),
  'partner-set-payout-account': form({
    ...partner,
    action: partnerSetPayoutAccount,
    link: 'Bank account',
    offered: (_state: PartnerState) => true,
    title: (name) => `Bank account of ${name}`,
    effect: 'Bank files from now on pay to this account.',
    button: 'Save bank account',
    done: (_name, { iban_end }) => `The bank account that ends in ${iban_end} is saved.`,
  }),
  'member-invite': form({
    ...partner,
    action: memberInvite,
    link: 'Invite a member',
    offered: (_state: PartnerState) => true,
    title: (name) => `Invite somebody to ${name}`,
    effect: 'The person gets a link that works once, for 7 days.',
    button: 'Send invitation',
    done: (name, { email }) => `${email} is invited to ${name}.`,
  }),
};

const NEW_PARTNER_FORMS = {
  'partner-create': form({
    action: partnerCreate,
    section: 'partners',
    given: [],
    subject: subjects.noSubject('/ops/partners'),
    link: 'Open an account',
    offered: always,
    title: () => 'Open a partner account',
    effect: 'A new account has no key pair. Issue one on its page.',
    button: 'Open account',
    done: () => 'The account is open.',
    next: ({ partner_id }) => partnerPath(String(partner_id)),
  }),
};

/** What decides what can be done with a key pair. */
export interface KeyPairState {
  status: 'active' | 'revoked';
  replacedBy: string | null;
}

const keyPair = { section: 'partners', given: ['key_id'], subject: subjects.credential } as const;

/** What can be done with a key pair. */
export const KEY_PAIR_FORMS = {
  'credential-change': form({
    ...keyPair,
    action: credentialChange,
    link: 'Change',
    offered: ({ status }: KeyPairState) => status === 'active',
    title: (name) => `Change ${name}?`,
    effect: 'What you leave empty stays as it is. Requests follow at once.',
    hints: { allowed_ips: 'Addresses and networks, with commas. 0.0.0.0/0, ::/0 for any.' },
    button: 'Change key pair',
    done: (name) => `${name} is changed.`,
  }),
  'credential-rotate': form({
    ...keyPair,
    action: credentialRotate,
    link: 'Rotate',
    offered: ({ status, replacedBy }: KeyPairState) => status === 'active' && replacedBy === null,
    title: (name) => `Rotate ${name}?`,
    effect:
      'A new key pair with the same scopes is issued. Its secret is shown once, on the next page. The old pair keeps working during the overlap.',
    button: 'Rotate key pair',
    done: () => 'The key pair is rotated.',
    reveal: newKeyPair,
  }),
  'credential-revoke': form({
    ...keyPair,
    action: credentialRevoke,
    link: 'Revoke',
    tone: 'danger',
    offered: ({ status }: KeyPairState) => status === 'active',
    title: (name) => `Revoke ${name}?`,
    effect: 'Requests signed with it are rejected at once. This cannot be undone.',
    button: 'Revoke key pair',
    done: (name) => `${name} is revoked.`,
  }),
};

/** What decides what can be done with a person's account. */
export interface AccountState {
  disabled: boolean;
  /** Whether it is the account of the operator who looks. */
  own: boolean;
}

const person = { section: 'people', given: ['user'], subject: subjects.person } as const;

/** What can be done with a person's account. */
export const ACCOUNT_FORMS = {
  'user-set-password': form({
    ...person,
    action: userSetPassword,
    link: 'Set a password',
    offered: (_state: AccountState) => true,
    title: (name) => `Set a password for ${name}`,
    effect: 'The old password stops working. All sessions and client authorizations end at once.',
    button: 'Set password',
    done: (name) => `${name} has a new password.`,
  }),
  'session-revoke-all': form({
    ...person,
    action: sessionRevokeAll,
    link: 'Sign out everywhere',
    offered: (_state: AccountState) => true,
    title: (name) => `Sign ${name} out everywhere?`,
    effect: 'Every browser and every bearer token of this account is signed out at once.',
    button: 'Sign out everywhere',
    done: (name) => `${name} is signed out everywhere.`,
  }),
  'staff-set-role': form({
    ...person,
    action: staffSetRole,
    link: 'Change role',
    offered: ({ own }: AccountState) => !own,
    title: (name) => `Change the role of ${name}`,
    effect: 'The new role counts at once, also where the person is signed in already.',
    button: 'Change role',
    done: (name) => `${name} has another role.`,
  }),
  'user-reset-second-factor': form({
    ...person,
    action: userResetSecondFactor,
    link: 'Remove authenticator app',
    offered: (_state: AccountState) => true,
    title: (name) => `Remove the authenticator app of ${name}?`,
    effect: 'The password alone signs in, until the person sets up another app.',
    button: 'Remove app',
    done: (name) => `${name} has no authenticator app.`,
  }),
  'user-enable': form({
    ...person,
    action: userEnable,
    link: 'Enable',
    offered: ({ disabled }: AccountState) => disabled,
    title: (name) => `Enable ${name}?`,
    effect: 'The person can sign in again.',
    button: 'Enable account',
    done: (name) => `${name} is active again.`,
  }),
  'user-disable': form({
    ...person,
    action: userDisable,
    link: 'Disable',
    tone: 'danger',
    offered: ({ disabled, own }: AccountState) => !disabled && !own,
    title: (name) => `Disable ${name}?`,
    effect:
      'Nobody can sign in with this account. Its sessions and client authorizations end at once, and do not come back when you enable it again.',
    button: 'Disable account',
    done: (name) => `${name} is disabled.`,
  }),
};

const PEOPLE_FORMS = {
  'user-create': form({
    action: userCreate,
    section: 'people',
    given: [],
    subject: subjects.noSubject('/ops/people'),
    link: 'Open an account',
    offered: always,
    title: () => 'Open an account',
    effect: 'The person can sign in at once. Share the password in a safe way.',
    button: 'Open account',
    done: () => 'The account is open.',
    next: ({ user_id }) => personPath(String(user_id)),
  }),
  'staff-invite': form({
    action: staffInvite,
    section: 'people',
    given: [],
    subject: subjects.noSubject('/ops/people'),
    link: 'Invite a colleague',
    tone: 'primary',
    offered: always,
    title: () => 'Invite a colleague',
    effect: 'The person gets a link that works once, for 7 days.',
    button: 'Send invitation',
    done: (_name, { email }) => `${email} is invited.`,
  }),
  'grant-revoke': form({
    ...person,
    action: grantRevoke,
    given: ['user', 'client'],
    link: 'Revoke',
    tone: 'danger',
    offered: always,
    title: (name) => `Revoke a client’s access to ${name}?`,
    effect: 'The client’s tokens are rejected at once. It has to ask the person again.',
    button: 'Revoke access',
    done: (name) => `The client no longer has access to ${name}.`,
  }),
};

const LEDGER_FORMS = {
  'ledger-check': form({
    action: ledgerCheck,
    section: 'ledger',
    given: [],
    subject: subjects.noSubject('/ops/ledger'),
    link: 'Check now',
    offered: always,
    title: () => 'Check the ledger now?',
    effect:
      'Recounts what is new, or everything, from the orders and the statements. It changes nothing and may take a while.',
    button: 'Check ledger',
    done: (_name, { ok, entries }) =>
      ok ? `The ledger balances: ${entries} entries.` : 'The ledger does not balance. See below.',
  }),
};

/** Every form of the console by its name, which is the last part of its address. */
export const ACTION_FORMS = {
  ...ORDER_FORMS,
  ...LISTING_FORMS,
  ...MARKET_FORMS,
  ...NEW_LISTING_FORMS,
  ...WEBHOOK_FORMS,
  ...ENDPOINT_FORMS,
  ...REPLAY_FORMS,
  ...MAIL_FORMS,
  ...BROKERAGE_FORMS,
  ...OFFER_FORMS,
  ...PAYOUT_FORMS,
  ...PAYOUT_FILE_FORMS,
  ...REPAYMENT_FORMS,
  ...STATEMENT_FORMS,
  ...SETTLEMENT_RUN_FORMS,
  ...PARTNER_FORMS,
  ...NEW_PARTNER_FORMS,
  ...KEY_PAIR_FORMS,
  ...ACCOUNT_FORMS,
  ...PEOPLE_FORMS,
  ...LEDGER_FORMS,
};

export type FormName = keyof typeof ACTION_FORMS;

const BY_NAME: ReadonlyMap<string, ActionForm> = new Map(Object.entries<ActionForm>(ACTION_FORMS));

/** Every form with its name. */
export function actionForms(): ReadonlyMap<string, ActionForm> {
  return BY_NAME;
}

/** A key pair with its secret, for the one page that may show it. */
function newKeyPair(answer: OpsAnswer): Markup {
  const previous = answer.previous as { key_id: string; expires_at: Date } | undefined;
  return html`${notice({
    tone: 'wait',
    focus: true,
    content: html`<p><strong>Copy the secret now.</strong> It is shown only this once.</p>
<p>Key id: <code>${answer.key_id}</code></p>
<p>Secret: <code>${answer.secret}</code></p>`,
  })}
${descriptionList([
  ['Environment', answer.environment],
  ['Scopes', (answer.scopes as readonly string[]).join(', ')],
  ['Old key pair', previous?.key_id],
  ['Works until', previous && formatInstant(previous.expires_at)],
])}`;
}
