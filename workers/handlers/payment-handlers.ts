import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import { forgetCardJob, refundPaymentJob } from '../../shared/money/payments/payment.jobs.ts';
import { type Payment, providerOf } from '../../shared/money/payments/payment.ts';
import {
  endRefundByDispute,
  findPayment,
  recordPaymentRefunded,
} from '../../shared/money/payments/payment-lifecycle.ts';
import { isDisputed } from '../../shared/money/payments/record-dispute.ts';
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

/** Stripe repeats a refusal under one idempotency key for a day. */
const REFUSED_MS = 25 * HOUR;

/**
 * Gives a payment back at its provider. Any number of runs give it back once: the provider knows the refund
 * by the payment. A refund that the provider refuses waits for the end of the payment's dispute, or for a person.
 */
export const refundPaymentHandler = handle(refundPaymentJob, refundPayment);

/** Has the payment provider send a payout; later while our balance there, which grows with sales, is short. */
export const sendPayoutHandler = handle(sendPayoutJob, async ({ runtime }, { payoutId }) =>
  (await sendPayout(runtime, payoutId)) ? done() : snooze(addMs(runtime.clock.now(), REFUSED_MS)),
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
  if (answer.status === 'failed') return afterRefusal(runtime, payment, provider.name);
  if (answer.status === 'pending') return snooze(addMs(runtime.clock.now(), PENDING_MS));
  await runtime.db.transact(async (uow) => {
    await recordPaymentRefunded(uow, paymentId, answer.reference);
    uow.jobs.finish(job);
  });
  return done();
}

/** What is disputed cannot be refunded: a dispute that is lost is the refund, after any other end it is asked for again. */
async function afterRefusal(
  { db, clock }: JobContext['runtime'],
  { id }: Payment,
  provider: string,
): Promise<Outcome> {
  if (await db.transact((uow) => endRefundByDispute(uow, id))) return done();
  if (await isDisputed(db.knex, { paymentId: id })) return snooze(addMs(clock.now(), REFUSED_MS));
  return giveUp(`${provider} refused the refund`);
}
