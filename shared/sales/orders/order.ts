import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { OrderEventType } from './order.events.ts';

export const PAYMENT_MODELS = ['merchant_of_record', 'hosted_checkout', 'brokerage'] as const;
export type PaymentModel = (typeof PAYMENT_MODELS)[number];

export interface Buyer {
  email: string;
  name: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
}

/** The requested delivery of a sale. */
export interface DeliveryWish {
  method: DeliveryMethod;
  /** The registry's id of the only registrar that may fetch the domain; null allows any that has the code. */
  gainingRegistrar: string | null;
}

/** A sale. Its commission rate is fixed when it is recorded. */
export interface Order {
  id: string;
  partnerId: string;
  environment: Environment;
  /** Null for a few brokered resales, from when a listing was sold only once. */
  listingId: number | null;
  /** Which sale of the listing it is, see `Listing`. */
  saleNumber: number;
  domain: string;
  status: OrderStatus;
  paymentModel: PaymentModel;
  price: Money;
  commissionBps: number;
  commission: Money;
  /** What the partner owes for the order now; zero once it is refunded or canceled. */
  amountOwed: Money;
  buyerEmail: string;
  buyerName: string | null;
  buyerCountry: string | null;
  quoteId: string | null;
  externalPaymentRef: string | null;
  returnUrl: string | null;
  cancelUrl: string | null;
  reviewReasons: readonly string[];
  createdAt: Date;
  updatedAt: Date;
  transferCompletedAt: Date | null;
  settledAt: Date | null;
  refundedAt: Date | null;
  settlementId: string | null;
  checkoutSessionId: string | null;
  brokerageCaseId: string | null;
  referralLinkId: string | null;
  /** What must happen before the transfer can start; null if nothing. */
  actionRequired: OrderAction | null;
  /** Null for the partner's default. */
  deliveryMethod: DeliveryMethod | null;
  gainingRegistrar: string | null;
}

/** The actions that an order can wait for. */
export const ORDER_ACTIONS = ['registrant_required'] as const;

export type OrderAction = (typeof ORDER_ACTIONS)[number];

/** The owner of orders. Every query on behalf of a partner is limited to it. */
export interface OrderOwner {
  partnerId: string;
  environment: Environment;
}

export interface TimelineEntry {
  at: Date;
  status: OrderStatus;
  event: string;
  note: string | null;
}

export const ORDER_STATUSES = [
  'EXTERNALLY_PAID',
  'MANUAL_REVIEW',
  'PAID',
  'TRANSFER_IN_PROGRESS',
  'TRANSFER_COMPLETED',
  'SETTLED',
  'REFUNDED',
  'CANCELLED',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface OrderMove {
  from: readonly OrderStatus[];
  to: OrderStatus;
  event: OrderEventType;
}

/** Every move an order can make. There is no other way to change its status. Drawn in docs/states.md. */
export const ORDER_MOVES = {
  clear: { from: ['MANUAL_REVIEW'], to: 'EXTERNALLY_PAID', event: 'order.manual_review_cleared' },
  clear_paid: { from: ['MANUAL_REVIEW'], to: 'PAID', event: 'order.manual_review_cleared' },
  hold: { from: ['EXTERNALLY_PAID', 'PAID'], to: 'MANUAL_REVIEW', event: 'order.held' },
  start_transfer: {
    from: ['EXTERNALLY_PAID', 'PAID'],
    to: 'TRANSFER_IN_PROGRESS',
    event: 'order.transfer_started',
  },
  confirm_delivery: {
    from: ['TRANSFER_IN_PROGRESS'],
    to: 'TRANSFER_COMPLETED',
    event: 'order.transfer_completed',
  },
  settle: { from: ['TRANSFER_COMPLETED'], to: 'SETTLED', event: 'order.settled' },
  refund: {
    from: ['EXTERNALLY_PAID', 'PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'],
    to: 'REFUNDED',
    event: 'order.refunded',
  },
  cancel: {
    from: ['EXTERNALLY_PAID', 'PAID', 'MANUAL_REVIEW'],
    to: 'CANCELLED',
    event: 'order.refunded',
  },
  claw_back: {
    from: ['TRANSFER_COMPLETED', 'SETTLED'],
    to: 'REFUNDED',
    event: 'order.refunded',
  },
} as const satisfies Record<string, OrderMove>;

export type OrderMoveName = keyof typeof ORDER_MOVES;

/** Returns whether an order with this status still has to be delivered. */
export function isOpenOrder(status: OrderStatus): boolean {
  const from: readonly OrderStatus[] = ORDER_MOVES.refund.from;
  return from.includes(status);
}

/** Returns the buyer's mail address, and the country that determines how mails are formatted. */
export function buyerOf({ buyerEmail, buyerCountry }: Pick<Order, 'buyerEmail' | 'buyerCountry'>) {
  return { email: buyerEmail, country: buyerCountry };
}
