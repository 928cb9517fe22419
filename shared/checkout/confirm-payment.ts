import { findLivePayment } from '../payments/find-payment.ts';
import type { Payment } from '../payments/payment.ts';
import type { ExpectedPayment, PaymentStep } from '../payments/payment-provider.ts';
import { providerOf } from '../payments/provider-of.ts';
import { later } from '../platform/clock.ts';
import type { Runtime } from '../runtime.ts';
import { reserve } from './reserve.ts';
import { settlePaymentStep } from './settle-payment-step.ts';
import { transactSession } from './transact-session.ts';

/** A payment with its provider's name for it. */
type Asked = Payment & { providerReference: string };

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
  const found = await transactSession(runtime.db, sessionId, async (tx, session) => {
    const now = runtime.clock.now();
    const payment = await findLivePayment(tx, sessionId);
    if (payment?.status !== 'requires_confirmation' || !isAsked(payment)) return undefined;
    const expiresAt = later(now, runtime.config.checkoutPaymentMs);
    const held = { underWay: payment, expiresAt };
    const mayHave =
      approved &&
      typeof (await reserve(tx, runtime.config, session, held, payment.amount, now)) !== 'string';
    return { payment, mayHave };
  });
  if (!found) return;
  const { payment, mayHave } = found;
  const provider = providerOf(runtime.payments, payment);
  const step = await provider.confirm(payment.providerReference, mayHave, expectedOf(payment));
  await settlePaymentStep(runtime, payment.id, step);
}

/**
 * Asks the provider where the session's payment stands, for a buyer who comes back from its page or waits;
 * undefined when there is nothing to ask.
 * @throws what the provider's adapter throws when it gets no answer
 */
export async function askAfterPayment(
  runtime: Pick<Runtime, 'db' | 'clock' | 'config' | 'payments'>,
  sessionId: string,
): Promise<PaymentStep | undefined> {
  const payment = await findLivePayment(runtime.db.knex, sessionId);
  const waits = payment?.status === 'requires_confirmation' || payment?.status === 'pending';
  if (!payment || !waits || !isAsked(payment)) return undefined;
  const provider = providerOf(runtime.payments, payment);
  const step = await provider.read(payment.providerReference, expectedOf(payment));
  await settlePaymentStep(runtime, payment.id, step);
  return step;
}

function expectedOf({ id: paymentId, amount }: Payment): ExpectedPayment {
  return { paymentId, amount };
}

function isAsked(payment: Payment): payment is Asked {
  return payment.providerReference !== null;
}
