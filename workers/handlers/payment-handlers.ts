import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import { forgetCardJob, refundPaymentJob } from '../../shared/money/payments/payment.jobs.ts';
import { providerOf } from '../../shared/money/payments/payment.ts';
import {
  findPayment,
  recordPaymentRefunded,
} from '../../shared/money/payments/payment-lifecycle.ts';
import { addMs, HOUR } from '../../shared/platform/clock.ts';
import { sendPayoutJob } from '../../shared/settlement/payouts/payout.jobs.ts';
import { sendPayout } from '../../shared/settlement/payouts/send-payout.ts';
import {
  done,
  giveUp,
  handle,
  type JobContext,
  type Outcome,
  snooze,
} from '../runtime/job-handler.ts';

/** A bank may take days over a refund. */
const PENDING_MS = HOUR;

/**
 * Gives a payment back at its provider. Any number of runs give it back once: the provider knows the refund
 * by the payment. A refund that the provider refuses waits for a person.
 */
export const refundPaymentHandler = handle(refundPaymentJob, refundPayment);

/** Our balance at the provider grows with sales; Stripe repeats a refusal under one idempotency key for a day. */
const BALANCE_MS = 25 * HOUR;

/** Has the payment provider send a payout. */
export const sendPayoutHandler = handle(sendPayoutJob, async ({ runtime }, { payoutId }) =>
  (await sendPayout(runtime, payoutId)) ? done() : snooze(addMs(runtime.clock.now(), BALANCE_MS)),
);

/** Has a provider forget a card. */
export const forgetCardHandler = handle(forgetCardJob, async ({ runtime }, { provider, token }) => {
  const environment = OWNERS_ENVIRONMENT;
  await providerOf(runtime.payments, { provider, environment }).forgetCard({ token });
  return done();
});

async function refundPayment(
  { runtime, job }: JobContext,
  { paymentId }: { paymentId: string },
): Promise<Outcome> {
  const payment = await findPayment(runtime.db.knex, paymentId);
  if (payment?.status !== 'refund_pending') return done();
  if (payment.providerReference === null) return giveUp('the payment has no reference');
  const provider = providerOf(runtime.payments, payment);
  const answer = await provider.refund({
    paymentId,
    reference: payment.providerReference,
    amount: payment.amount,
  });
  if (answer.status === 'failed') return giveUp(`${provider.name} refused the refund`);
  if (answer.status === 'pending') return snooze(addMs(runtime.clock.now(), PENDING_MS));
  await runtime.db.transact(async (uow) => {
    await recordPaymentRefunded(uow, paymentId, answer.reference);
    uow.jobs.finish(job);
  });
  return done();
}
