import type { Environment } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import { formatMoneyWithCode, type Money } from '../../platform/money.ts';
import type {
  DeclineCode,
  ExpectedPayment,
  PaymentProvider,
  PaymentProviders,
  PaymentState,
} from './payment-provider.ts';

export const PAYMENT_STATUSES = [
  'created',
  'requires_confirmation',
  'pending',
  'succeeded',
  'failed',
  'refund_pending',
  'refunded',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What a payment is for: a partner's checkout session, or a renewal that an owner buys from us. */
export type PaymentSubject =
  | { sessionId: string; partnerId: string; renewalId: null }
  | { sessionId: null; partnerId: null; renewalId: string };

/** One attempt to charge a price. Holds no card data. */
export type Payment = PaymentSubject & PaymentFacts;

interface PaymentFacts {
  id: string;
  environment: Environment;
  /** From 1; a new attempt starts only after the previous one has failed. */
  attempt: number;
  provider: PaymentProvider['name'];
  /** The provider's customer whose stored card is charged off-session; null if the buyer pays on session. */
  customer: string | null;
  /** The provider's reference; null until the provider has responded. */
  providerReference: string | null;
  status: PaymentStatus;
  /** Set exactly while the status is `failed`. */
  declineCode: DeclineCode | null;
  amount: Money;
  /** The order that a session's payment bought. */
  orderId: string | null;
  refundReference: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The statuses from which a provider's state may move a payment; from any other it changes nothing. */
export const STATES_BEFORE: Record<PaymentState['status'], readonly PaymentStatus[]> = {
  requires_confirmation: ['created'],
  pending: ['created', 'requires_confirmation'],
  succeeded: ['created', 'requires_confirmation', 'pending'],
  failed: ['created', 'requires_confirmation', 'pending'],
};

/**
 * Returns the provider with which a payment was made, even after another one was configured.
 * @throws ServiceError service_unavailable if that provider is no longer configured
 */
export function providerOf(
  payments: PaymentProviders,
  payment: Pick<Payment, 'provider' | 'environment'>,
): PaymentProvider {
  const provider = payments(payment.provider === 'sandbox' ? 'SANDBOX' : payment.environment);
  if (provider.name === payment.provider) return provider;
  throw fail('service_unavailable', {
    message: `The payment was made with ${payment.provider}, which is no longer configured.`,
  });
}

/** Returns what the provider should know about a payment, to compare with its response. */
export function expectedOf({ id, amount, customer }: Payment): ExpectedPayment {
  return { paymentId: id, amount, customer };
}

/** Asserts that the provider can charge a price exactly. @throws conflict (`price_not_payable`) */
export function assertCarries(provider: PaymentProvider, price: Money): void {
  if (provider.carries(price)) return;
  throw conflict(
    'price_not_payable',
    `Our payment provider cannot carry exactly ${formatMoneyWithCode(price)}. No money was moved; use another amount.`,
  );
}
