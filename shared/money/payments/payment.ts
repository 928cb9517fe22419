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

/** What a payment is of: a checkout session of a partner, or a renewal, which an owner buys from us. */
export type PaymentSubject =
  | { sessionId: string; partnerId: string; renewalId: null }
  | { sessionId: null; partnerId: null; renewalId: string };

/** One attempt to take a price. Of a card it knows nothing. */
export type Payment = PaymentSubject & PaymentFacts;

interface PaymentFacts {
  id: string;
  environment: Environment;
  /** From 1; a further one only after the one before has failed. */
  attempt: number;
  provider: PaymentProvider['name'];
  /** The provider's customer whose kept card is charged without them; null where the buyer pays. */
  customer: string | null;
  /** The provider's name for it; null until the provider has answered. */
  providerReference: string | null;
  status: PaymentStatus;
  /** Set exactly while the status is `failed`. */
  declineCode: DeclineCode | null;
  amount: Money;
  /** What a session's payment bought. */
  orderId: string | null;
  refundReference: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Where a payment may come from when its provider says so; what is not here changes nothing. */
export const STATES_BEFORE: Record<PaymentState['status'], readonly PaymentStatus[]> = {
  requires_confirmation: ['created'],
  pending: ['created', 'requires_confirmation'],
  succeeded: ['created', 'requires_confirmation', 'pending'],
  failed: ['created', 'requires_confirmation', 'pending'],
};

/**
 * The provider that a payment was made with, also after another one was configured.
 * @throws ServiceError service_unavailable when that one is not configured any more
 */
export function providerOf(
  payments: PaymentProviders,
  payment: Pick<Payment, 'provider' | 'environment'>,
): PaymentProvider {
  const provider = payments(payment.provider === 'sandbox' ? 'SANDBOX' : payment.environment);
  if (provider.name === payment.provider) return provider;
  throw fail('service_unavailable', {
    message: `The payment was made with ${payment.provider}, which is not configured any more.`,
  });
}

/** A payment as its provider is asked after it. */
export function expectedOf({ id, amount, customer }: Payment): ExpectedPayment {
  return { paymentId: id, amount, customer };
}

/** @throws conflict (`price_not_payable`) for a price that the provider cannot take exactly */
export function assertCarries(provider: PaymentProvider, price: Money): void {
  if (provider.carries(price)) return;
  throw conflict(
    'price_not_payable',
    `Our payment provider cannot carry exactly ${formatMoneyWithCode(price)}. No money was moved; use another amount.`,
  );
}
