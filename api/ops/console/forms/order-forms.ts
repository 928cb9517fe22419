import type { ListingStatus } from '../../../../shared/market/inventory/listing.ts';
import {
  ORDER_MOVES,
  type OrderAction,
  type OrderMoveName,
  type OrderStatus,
} from '../../../../shared/sales/orders/order.ts';
import type { DeliverySummary } from '../../../../shared/sales/orders/read-orders.ts';
import type { CodeCheck } from '../../../../shared/sales/transfers/check-auth-code.ts';
import { canDeliver } from '../../../../shared/sales/transfers/domain-delivery.ts';
import {
  type Cancellation,
  canMove,
  type TransferMoveName,
  type TransferStatus,
} from '../../../../shared/sales/transfers/transfer.ts';
import { listingRelist } from '../../actions/domain-actions.ts';
import {
  orderCancel,
  orderCheck,
  orderCheckCode,
  orderClear,
  orderConfirmDelivery,
  orderRefund,
  orderReopenClaim,
  orderRetryTransfer,
  orderStartTransfer,
  refundApprove,
  refundDecline,
} from '../../actions/order-actions.ts';
import * as subjects from '../action-subjects.ts';
import { form } from './action-form.ts';

/** The state that decides which moves of an order are possible. */
export interface OrderState {
  status: OrderStatus;
  /** What must happen before its transfer can start. */
  actionRequired?: OrderAction | null;
  transfer: { status: TransferStatus; cancellation: Cancellation | null } | null;
  delivery?: Pick<DeliverySummary, 'method' | 'status'>;
  /** Whether staff deliver it by hand. */
  byHand?: boolean;
  /** The status of its domain's listing, if known. */
  listing?: ListingStatus | undefined;
}

/** Returns whether the marketplace's state tables allow the move. */
function canOrder({ status }: OrderState, move: OrderMoveName): boolean {
  return (ORDER_MOVES[move].from as readonly OrderStatus[]).includes(status);
}

/** Returns whether the transfer can make a move; while a refund is pending, only the refund's end moves it. */
function canTransfer({ transfer }: OrderState, move: TransferMoveName): boolean {
  return transfer !== null && transfer.cancellation === null && canMove(move, transfer.status);
}

/** Returns whether the registrar failed to stop the transfer, so that staff decide about the refund. */
function refundIsUndecided({ transfer }: OrderState): boolean {
  return transfer?.cancellation === 'too_late' || transfer?.cancellation === 'unanswered';
}

function canRefund(order: OrderState): boolean {
  if (canOrder(order, 'claw_back')) return true;
  const { transfer } = order;
  const free = transfer === null || transfer.cancellation === null;
  const isFetchable = (order.delivery?.status ?? null) !== null;
  const hasLeft = transfer?.status === 'awaiting_confirmation' && !isFetchable;
  return canOrder(order, 'refund') && free && !hasLeft;
}

/** The result of a code check, in words for staff. */
const CODE_CHECKS: Readonly<Record<CodeCheck, (name: string) => string>> = {
  valid: (name) => `This is the current code of ${name}. It works.`,
  ended: (name) => `This was the last code of ${name}. It was used, revoked, or has expired.`,
  other: (name) => `This is not the last code of ${name}. It was replaced, or is not ours.`,
  none: (name) => `No code was ever issued for ${name}.`,
};

/** What a refund waits for before the order is reversed. */
export const REFUND_WAITS: Readonly<Record<Cancellation, string>> = {
  requested: 'Refund: waiting for the registrar to stop the transfer',
  too_late: 'Refund: the domain was already transferred. Approve or decline',
  unanswered: 'Refund: the registrar did not answer. Approve or decline',
};

const order = { section: 'orders', given: ['order'], subject: subjects.order } as const;

/** Actions on an order, in the order of its page. */
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
    offered: (state: OrderState) => canOrder(state, 'start_transfer') && !state.actionRequired,
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
  'order-reopen-claim': form({
    ...order,
    action: orderReopenClaim,
    link: 'Send claim link',
    offered: ({ delivery, transfer }: OrderState) =>
      transfer?.cancellation === null &&
      delivery?.method === 'account' &&
      canDeliver(delivery.status, 'reopen'),
    title: (name) => `Send the buyer of ${name} a new claim link?`,
    effect: 'The previous link stops working. The new one works for 90 days.',
    button: 'Send claim link',
    done: (name) => `The buyer of ${name} has a new claim link.`,
  }),
  'order-check': form({
    ...order,
    action: orderCheck,
    link: 'Delivery checklist',
    offered: (state: OrderState) => state.byHand === true && canOrder(state, 'confirm_delivery'),
    title: (name) => `Delivery checklist for ${name}`,
    effect: 'For you and your colleagues. Each check shows who set it, and when.',
    button: 'Save',
    done: (name) => `The checklist of ${name} is saved.`,
  }),
  'order-check-code': form({
    ...order,
    action: orderCheckCode,
    link: 'Check a code',
    offered: ({ delivery }: OrderState) =>
      delivery?.method === 'partner_registrar' && delivery.status !== null,
    title: (name) => `Check an authorization code of ${name}`,
    effect: 'We store only a hash of each code. The code you enter is compared and not stored.',
    button: 'Check',
    done: (name, { result }) => CODE_CHECKS[result as CodeCheck](name),
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
    done: (name) => `${name} is canceled.`,
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
      'The order continues. If the registrar has moved the domain, it counts as delivered and the settlement clock starts. Otherwise its transfer needs action.',
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
