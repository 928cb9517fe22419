import { noteRenewalFault } from '../../domains/owned-domains/manage-owned-domains.ts';
import { keepOwnNotice } from '../../domains/registrar/registry-notices.ts';
import { lockJobOf, reviveJob } from '../../messaging/jobs/dead-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { renewalPostings, reversePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import type { DisputeState } from '../../money/payments/dispute.ts';
import { keepCard } from '../../money/payments/kept-cards.ts';
import {
  findPayment,
  recordPaymentReturned,
  recordPaymentState,
  requestPaymentRefund,
} from '../../money/payments/payment-lifecycle.ts';
import type { PaymentState, ReviewOutcome } from '../../money/payments/payment-provider.ts';
import { recordDispute } from '../../money/payments/record-dispute.ts';
import { readUserEmail } from '../../people/users/user-account.ts';
import { formatMoneyWithCode } from '../../platform/money.ts';
import { renewDomainJob, renewDomainKey } from './renewal.jobs.ts';
import {
  autoRenewFailedMail,
  NOT_CHARGED,
  type RefundReason,
  renewalRefundedMail,
} from './renewal.mails.ts';
import { lockRenewal, moveRenewal, readRenewal, updateDecline } from './renewal.store.ts';
import type { Renewal } from './renewal.ts';
import { issueRenewalCreditNote, RENEWAL_OWNER } from './renewal-documents.ts';

type Deps = { db: Database };

/**
 * Records the state of a renewal's payment that a provider reported, and acts on it. A success renews the domain, once;
 * one that arrives after the renewal has ended is refunded. The page, the return from the provider, its webhook and
 * the reconciliation job all call this, in any order and any number of times.
 */
export async function applyRenewalPayment(
  { db }: Deps,
  paymentId: string,
  step: PaymentState,
): Promise<void> {
  await withRenewalOf(db, paymentId, async (uow, renewal) => {
    const payment = await recordPaymentState(uow, paymentId, step);
    if (payment?.status === 'failed') {
      const code = payment.declineCode ?? 'processing_error';
      await updateDecline.run(uow.sql, { id: renewal.id, code, now: uow.now });
      if (renewal.automaticDays !== null) await giveUp(uow, renewal, code);
    }
    if (payment?.status !== 'succeeded') return;
    if (renewal.keepsCard && step.status === 'succeeded' && step.keptCard) {
      await keepCard(uow, renewal.userId, { ...step.keptCard, provider: payment.provider });
    }
    if (!(await moveRenewal(uow.sql, renewal.id, 'pay', uow.now, { paymentId }))) {
      await requestPaymentRefund(uow, { paymentId });
      return tellRefund(uow, renewal, 'late');
    }
    await postEntry(uow, {
      ...entryOf(renewal),
      kind: 'renewal',
      postings: renewalPostings(renewal.price),
    });
    // A payment that the provider is reviewing must wait for the end of that review.
    const inReview = step.status === 'succeeded' && step.inReview === true;
    if (!inReview) uow.jobs.add(renewDomainJob, { renewalId: renewal.id });
  });
}

const WHY_OF: Readonly<Record<string, 'expired_card' | 'not_processed' | 'unconfirmed'>> = {
  expired_card: 'expired_card',
  processing_error: 'not_processed',
  authentication_failed: 'unconfirmed',
};

/** Ends an automatic attempt whose payment failed. The next attempt is a new renewal. */
async function giveUp(uow: UnitOfWork, renewal: Renewal, code: string): Promise<void> {
  if (!(await moveRenewal(uow.sql, renewal.id, 'cancel', uow.now))) return;
  const { domain, userId, renewsFrom, automaticDays: days } = renewal;
  const why = WHY_OF[code] ?? 'declined';
  await noteRenewalFault(uow.sql, { domain, expiresAt: renewsFrom, reason: NOT_CHARGED[why] });
  uow.mails.add(autoRenewFailedMail, {
    to: { email: await readUserEmail(uow.sql, userId) },
    of: null,
    data: {
      domain,
      expiresAt: renewsFrom.toISOString(),
      days: days ?? 0,
      why,
      reason: null,
    },
  });
}

/**
 * Applies the result of the provider's review of a payment, any number of times: continues the renewal, or reverses it,
 * even if staff had let it continue, since the provider has refunded its owner.
 */
export async function applyRenewalReview(
  { db }: Deps,
  paymentId: string,
  outcome: ReviewOutcome,
): Promise<void> {
  await withRenewalOf(db, paymentId, async (uow, renewal) => {
    if (renewal.paymentId !== paymentId) return;
    if (outcome === 'approved' && renewal.status === 'paid') {
      uow.jobs.add(renewDomainJob, { renewalId: renewal.id });
    }
    if (outcome === 'refused') await takeReturnedBack(uow, renewal, 'review');
  });
}

/**
 * Applies a provider's report about a dispute, in any order and any number of times. If it is lost over the whole
 * price, the renewal is reversed, since the bank has returned the money. Staff settle partial disputes.
 */
export async function applyRenewalDispute(
  { db }: Deps,
  paymentId: string,
  state: DisputeState,
): Promise<void> {
  await withRenewalOf(db, paymentId, async (uow, renewal) => {
    const payment = await findPayment(uow.sql, paymentId);
    const change = payment && (await recordDispute(uow, payment, state));
    const isLost = change?.dispute.status === 'lost' && state.amount.equals(renewal.price);
    if (isLost && renewal.paymentId === paymentId) await takeReturnedBack(uow, renewal, 'returned');
  });
}

/** Reverses a renewal whose payment was refunded by hand at the provider, any number of times. */
export async function applyRenewalReturn({ db }: Deps, paymentId: string): Promise<void> {
  await withRenewalOf(db, paymentId, async (uow, renewal) => {
    if (renewal.paymentId !== paymentId) return;
    await recordPaymentReturned(uow, paymentId);
    await takeReturnedBack(uow, renewal, 'returned');
  });
}

/**
 * Reverses a renewal whose owner got the money back without us. A renewal that the registry has made stays. Staff are
 * told at once, or after the job has checked the registry.
 */
async function takeReturnedBack(
  uow: UnitOfWork,
  renewal: Renewal,
  why: 'review' | 'returned',
): Promise<void> {
  if (renewal.status !== 'paid' && renewal.status !== 'completed') return;
  const job = await lockJobOf(uow, renewDomainKey(renewal.id));
  const wasAsked = job !== undefined || renewal.status === 'completed';
  await takeRenewalBack(uow, renewal, why === 'review' && wasAsked ? 'late_review' : why);
  if (renewal.status === 'completed') {
    await tellStaffOfUnpaid(uow, renewal, 'renewed');
  } else if (job?.state === 'dead') await reviveJob(uow, job.id);
}

/** Tells staff what the registry has made of a renewal whose owner has the money back. */
export function tellStaffOfUnpaid(
  uow: UnitOfWork,
  { id, domain, kind, price }: Renewal,
  made: 'renewed' | 'restored',
): Promise<void> {
  const done = kind === 'restore' && made === 'renewed' ? 'restored and renewed' : made;
  const fault = `The registry ${done} it and charged us its fee, but we refunded its owner ${formatMoneyWithCode(price)} (${id}). Check whether the owner paid again, then ask them.`;
  return keepOwnNotice(uow, { about: 'renewals', id, domain, fault });
}

/**
 * Refunds a renewal, unless it is already refunded: in the ledger, with a credit note, and at the provider. The caller
 * must have locked it.
 * @param why `returned` by the bank, or by hand at the provider, who then tell the owner; `refused` by the registry, or
 *   only `restored`, with the registry's `refusal`; `given_up` by staff, with their reason as `refusal`; `lost` with the
 *   reason why its payer does not own the domain anymore
 */
export async function takeRenewalBack(
  uow: UnitOfWork,
  renewal: Renewal,
  why: RefundReason | 'returned',
  refusal: string | null = null,
): Promise<void> {
  if (renewal.paymentId === null) return;
  if (!(await moveRenewal(uow.sql, renewal.id, 'refund', uow.now, { refusal }))) return;
  await postEntry(uow, {
    ...entryOf(renewal),
    kind: 'renewal_refund',
    postings: reversePostings(renewalPostings(renewal.price)),
  });
  await requestPaymentRefund(uow, { paymentId: renewal.paymentId });
  await issueRenewalCreditNote(uow, renewal);
  if (why !== 'returned') await tellRefund(uow, { ...renewal, refusal }, why);
}

async function tellRefund(
  uow: UnitOfWork,
  { id: renewalId, userId, domain, kind, price, refusal }: Renewal,
  why: RefundReason,
): Promise<void> {
  const { amount, currency } = price;
  uow.mails.add(renewalRefundedMail, {
    to: { email: await readUserEmail(uow.sql, userId) },
    of: null,
    data: { renewalId, domain, kind, amount: { amount, currency }, why, refusal },
  });
}

function entryOf({ id: reference }: Renewal) {
  return { ...RENEWAL_OWNER, reference, orderId: null };
}

/** Runs `work` in one transaction with the renewal of a payment locked. Skips payments for anything else. */
async function withRenewalOf(
  db: Database,
  paymentId: string,
  work: (uow: UnitOfWork, renewal: Renewal) => Promise<void>,
): Promise<void> {
  // A payment's renewal and owner never change, so they may be read before the transaction.
  const payment = await findPayment(db.knex, paymentId);
  if (!payment || payment.renewalId === null) return;
  const { renewalId } = payment;
  const known = await readRenewal(db.knex, renewalId);
  if (!known) return;
  await db.transactFor(known.userId, async (uow) => {
    const renewal = await lockRenewal(uow.sql, renewalId);
    if (renewal) await work(uow, renewal);
  });
}
