import type { Environment } from '../platform/config.ts';
import type { Money } from '../platform/money.ts';
import type { OrderStatus } from './order-states.ts';

export type PaymentModel = 'merchant_of_record' | 'hosted_checkout' | 'brokerage';

export interface Buyer {
  email: string;
  name: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
}

/** A sale. Its commission rate is fixed when it is recorded. */
export interface Order {
  id: string;
  partnerId: string;
  environment: Environment;
  /** Null for a brokered domain, which was never listed. */
  listingId: number | null;
  domain: string;
  status: OrderStatus;
  paymentModel: PaymentModel;
  price: Money;
  commissionBps: number;
  commission: Money;
  /** What the partner owes for it now: nothing once it was taken back. */
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
}

/** Whose orders: every query a partner causes is bound to it. */
export interface OrderOwner {
  partnerId: string;
  environment: Environment;
}

export interface TimelineEntry {
  at: Date;
  status: string;
  event: string;
  note: string | null;
}
