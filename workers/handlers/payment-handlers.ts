import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import { forgetCardJob, refundPaymentJob } from '../../shared/money/payments/payment.jobs.ts';
import { type Payment, providerOf } from '../../shared/money/payments/payment.ts';
import {
  endRefundByDispute,
  findPayment,
  recordPaymentRefunded,
} from '../../shared/money/payments/payment-lifecycle.ts';
import { isDisputed } from '../../shared/money/payments/record-dispute.ts';
import { recordUnrefundable } from '../../shared/money/payments/repay-buyer.ts';
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

/** How often a pending refund is checked: a bank may take days. */
const PENDING_MS = HOUR;

/** Stripe repeats a refusal for the same idempotency key for a day. */
const REFUSED_MS = 25 * HOUR;

/**
 * Refunds a payment at its provider. Any number of runs refund it once: the provider identifies the refund by the
 * payment. A refund that the provider refuses waits for the end of the payment's dispute, or for staff.
 */
export const refundPaymentHandler = handle(refundPaymentJob, refundPayment);

/** Has the provider send a payout; tries again later while our balance there, which grows with sales, is too low. */
export const sendPayoutHandler = handle(sendPayoutJob, async ({ runtime }, { payoutId }) =>
  (await sendPayout(runtime, payoutId)) ? done() : snooze(addMs(runtime.clock.now(), REFUSED_MS)),
);

/** Has a provider delete a card. */
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
  if (payment.providerReference === null) {
    return giveUpRefund(runtime, paymentId, 'the payment has no reference');
  }
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

/** Handles a refused refund of a disputed payment: a lost dispute is the refund; after any other end it is retried. */
async function afterRefusal(
  runtime: JobContext['runtime'],
  { id }: Payment,
  provider: string,
): Promise<Outcome> {
  const { db, clock } = runtime;
  if (await db.transact((uow) => endRefundByDispute(uow, id))) return done();
  if (await isDisputed(db.knex, { paymentId: id })) return snooze(addMs(clock.now(), REFUSED_MS));
  return giveUpRefund(runtime, id, `${provider} refused the refund`);
}

/** Leaves a refund to staff: they retry the dead job, or repay the buyer by hand. */
async function giveUpRefund(
  { db }: JobContext['runtime'],
  paymentId: string,
  reason: string,
): Promise<Outcome> {
  await db.transact((uow) => recordUnrefundable(uow, paymentId));
  return giveUp(reason);
}
