import { findSessionPayment } from '../payments/find-payment.ts';
import type { Payment } from '../payments/payment.ts';
import type { ExpectedPayment, PaymentState } from '../payments/payment-provider.ts';
import { providerOf } from '../payments/provider-of.ts';
import { addMs } from '../platform/clock.ts';
import type { Runtime } from '../runtime.ts';
import { reserveDomain } from './reserve.ts';
import { applyPaymentState } from './settle-payment-step.ts';
import { transactWithSession } from './transact-session.ts';

/** A payment with its provider's name for it. */
type ProviderPayment = Payment & { providerReference: string };

/**
 * The buyer's answer to the confirmation step of a payment that waits for one. When the domain went to
 * somebody else meanwhile, it counts as a refusal: nothing is charged. Answered before: nothing happens.
 * @throws not_found, conflict (too_many_holds), or what the provider's adapter throws when it gets no answer
 */
export async function confirmPayment(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'payments'>,
  sessionId: string,
  approved: boolean,
): Promise<void> {
  const found = await transactWithSession(runtime.db, sessionId, async (tx, session) => {
    const now = runtime.clock.now();
    const payment = await findSessionPayment(tx, sessionId);
    if (payment?.status !== 'requires_confirmation' || !hasProviderReference(payment))
      return undefined;
    const expiresAt = addMs(now, runtime.config.checkoutPaymentMs);
    const held = { underWay: payment, expiresAt };
    const mayHave =
      approved &&
      typeof (await reserveDomain(tx, runtime.config, session, held, payment.amount, now)) !==
        'string';
    return { payment, mayHave };
  });
  if (!found) return;
  const { payment, mayHave } = found;
  const provider = providerOf(runtime.payments, payment);
  const step = await provider.confirm(payment.providerReference, mayHave, expectedOf(payment));
  await applyPaymentState(runtime, payment.id, step);
}

/**
 * Asks the provider where the session's payment stands, for a buyer who comes back from its page or waits;
 * undefined when there is nothing to ask.
 * @throws what the provider's adapter throws when it gets no answer
 */
export async function refreshPayment(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'payments'>,
  sessionId: string,
): Promise<PaymentState | undefined> {
  const payment = await findSessionPayment(runtime.db.knex, sessionId);
  const waits = payment?.status === 'requires_confirmation' || payment?.status === 'pending';
  if (!payment || !waits || !hasProviderReference(payment)) return undefined;
  const provider = providerOf(runtime.payments, payment);
  const step = await provider.read(payment.providerReference, expectedOf(payment));
  await applyPaymentState(runtime, payment.id, step);
  return step;
}

function expectedOf({ id: paymentId, amount }: Payment): ExpectedPayment {
  return { paymentId, amount };
}

function hasProviderReference(payment: Payment): payment is ProviderPayment {
  return payment.providerReference !== null;
}
