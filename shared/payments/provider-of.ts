import { fail } from '../platform/errors.ts';
import type { Payment } from './payment.ts';
import type { PaymentProvider, PaymentProviders } from './payment-provider.ts';

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
