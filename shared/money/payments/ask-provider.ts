import { expectedOf, type Payment, providerOf } from './payment.ts';
import type { PaymentProviders, PaymentState } from './payment-provider.ts';

/**
 * Sends the buyer's answer to a payment's confirmation step to the provider; undefined for a payment that does not
 * wait for one.
 * @throws the error of the provider's adapter if it gets no response
 */
export async function answerConfirmation(
  payments: PaymentProviders,
  payment: Payment,
  approved: boolean,
): Promise<PaymentState | undefined> {
  const { status, providerReference } = payment;
  if (status !== 'requires_confirmation' || providerReference === null) return undefined;
  const provider = providerOf(payments, payment);
  return provider.confirm(providerReference, approved, expectedOf(payment));
}

/**
 * Asks the provider for the state of a payment that waits for its buyer or a bank; undefined for any other payment.
 * @throws the error of the provider's adapter if it gets no response
 */
export async function readWaiting(
  payments: PaymentProviders,
  payment: Payment | undefined,
): Promise<PaymentState | undefined> {
  const waits = payment?.status === 'requires_confirmation' || payment?.status === 'pending';
  if (!waits || payment.providerReference === null) return undefined;
  return providerOf(payments, payment).read(payment.providerReference, expectedOf(payment));
}
