import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { type EntryKind, type Posting, reversePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { assertPayable } from '../../people/partners/partner-lifecycle.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import {
  markCommissionsPaidOut,
  releaseCommissions,
  reversePaidCommissions,
} from '../../sales/referral/commission-lifecycle.ts';
import { assertApproved } from './approve-payout.ts';
import { parseBankReference } from './bank-reference.ts';
import { type Destination, readDestinations, refusalOfDestination } from './destination.ts';
import { payoutFailedMail, payoutSentMail } from './payout.mails.ts';
import { changeStatus, lockPayout, selectDisputedOrder } from './payout.store.ts';
import {
  PAYOUT_MOVES,
  type Payout,
  type PayoutMoveName,
  PROVIDER,
  payableAccount,
} from './payout.ts';
import { issuePayoutAdvice } from './payout-advice.ts';
import { assertPayeeReleased } from './screen-payee.ts';
import { updateReleased } from './settlement-payable.store.ts';

type Deps = { db: Database; clock: Clock };
type DepsOfPayment = Deps & { config: Config };

/**
 * Records that a pending payout has left the bank, and issues its advice. Repeating the same reference changes nothing.
 * @throws validation_error, not_found, conflict (`invalid_state`: it failed, was paid under another reference, needs
 *   somebody else's approval, or its partner's account is too new; `partner_suspended`; `payout_disputed` while the
 *   buyer of one of its orders disputes the payment)
 */
export async function markPayoutPaid(
  scope: DepsOfPayment,
  actor: string,
  input: { payoutId: string; reference: string },
): Promise<Payout> {
  const reference = parseBankReference(input.reference);
  return applyTransition(scope, actor, input.payoutId, {
    move: 'pay',
    action: 'payout:mark-paid',
    reference,
    reason: null,
    isDone: (payout) => payout.status === 'paid' && payout.reference === reference,
    async admit(uow, payout) {
      assertNotSent(actor, payout);
      // A payout sent to a bank or provider was checked then; it is recorded as paid whatever has changed since.
      if (payout.fileId !== null || payout.sentTo !== null) return;
      const destinations = await readDestinations(uow.sql, payout.partnerId);
      await assertMayBePaid(uow, scope.config, actor, payout, destinations);
    },
    entries: (payout) => ({ payout_payment: paymentPostings(payout) }),
    async after(uow, payout) {
      await markCommissionsPaidOut(uow, payout.id);
      const advice = await issuePayoutAdvice(uow, scope.config, payout);
      uow.mails.add(payoutSentMail, { ...mailAbout(payout), documents: [advice] });
    },
  });
}

/**
 * Records that a pending payout did not arrive: we owe its amount again, and the next settlement run pays
 * it with another payout. Repeating the same reference changes nothing.
 * @throws validation_error, not_found, conflict (`invalid_state`: it was paid, or failed under another
 *   reference)
 */
export async function markPayoutFailed(
  scope: Deps,
  actor: string,
  input: { payoutId: string; reference: string | null; reason: string | null },
): Promise<Payout> {
  const reference = input.reference === null ? null : parseBankReference(input.reference);
  return applyTransition(scope, actor, input.payoutId, {
    move: 'fail',
    action: 'payout:mark-failed',
    reference,
    reason: input.reason,
    isDone: (payout) => payout.status === 'failed' && payout.reference === reference,
    admit: async (_uow, payout) => assertNotSent(actor, payout),
    entries: (payout) => ({ payout_failure: failurePostings(payout) }),
    async after(uow, payout) {
      await updateReleased.send(uow.pipeline, { payoutId: payout.id, now: uow.now });
      await releaseCommissions(uow, payout.id);
      addFailureMail(uow, payout);
    },
  });
}

/**
 * Records that a paid payout was returned, under the bank's reference of the return: the payout has failed, we owe its
 * amount again, and the next settlement run pays it with another payout. Repeating the same reference changes
 * nothing.
 * @throws validation_error, not_found, conflict (`invalid_state`: it is not paid, or was returned under another
 *   reference)
 */
export async function reversePayout(
  scope: Deps,
  actor: string,
  input: { payoutId: string; reference: string; reason: string | null },
): Promise<Payout> {
  const reference = parseBankReference(input.reference);
  return applyTransition(scope, actor, input.payoutId, {
    move: 'reverse',
    action: 'payout:reverse',
    reference,
    reason: input.reason,
    isDone: (payout) => payout.reversalReference === reference,
    entries: (payout) => ({
      payout_payment_reversal: reversePostings(paymentPostings(payout)),
      payout_failure: failurePostings(payout),
    }),
    async after(uow, payout) {
      await updateReleased.send(uow.pipeline, { payoutId: payout.id, now: uow.now });
      await reversePaidCommissions(uow, payout.id);
      addFailureMail(uow, payout);
    },
  });
}

/**
 * Asserts that a payout may be paid now.
 * @param destinations the accounts to one of which it would be paid
 * @throws conflict (`invalid_state`, `partner_suspended`, `payout_disputed`)
 */
export async function assertMayBePaid(
  uow: UnitOfWork,
  config: Config,
  actor: string,
  payout: Payout,
  destinations: readonly Destination[],
): Promise<void> {
  for (const destination of payout.environment === 'LIVE' ? destinations : []) {
    const refusal = refusalOfDestination(config, destination, uow.realNow);
    if (refusal) throw conflict('invalid_state', refusal);
  }
  await assertApproved(uow, config, actor, payout, destinations);
  await assertPayable(uow, payout.partnerId);
  if (payout.environment === 'LIVE') await assertPayeeReleased(uow, payout.partnerId);
  await assertNotDisputed(uow, payout);
}

/** Refuses outcomes of payouts that the provider sends, unless the provider reports them: only it knows them. */
function assertNotSent(actor: string, { sentTo }: Payout): void {
  if (sentTo === null || actor === PROVIDER) return;
  throw conflict(
    'invalid_state',
    'The payment provider is sending this payout. Wait for the result.',
  );
}

async function assertNotDisputed(uow: UnitOfWork, { id }: Payout): Promise<void> {
  const disputed = await selectDisputedOrder.first(uow.sql, { id });
  if (!disputed) return;
  throw conflict(
    'payout_disputed',
    `The buyer of ${disputed.orderId} disputes the payment. Pay this when the dispute is closed.`,
  );
}

/** Returns the postings of money leaving the bank. */
function paymentPostings({ amount }: Payout): Posting[] {
  return [
    { account: 'payouts_in_transit', amount },
    { account: 'cash', amount: amount.negated() },
  ];
}

/** Returns the postings that make the amount in transit owed again. */
function failurePostings({ source, amount }: Payout): Posting[] {
  return [
    { account: 'payouts_in_transit', amount },
    { account: payableAccount(source), amount: amount.negated() },
  ];
}

interface PayoutTransition {
  move: PayoutMoveName;
  /** The command's name in the audit trail. */
  action: string;
  /** The bank's reference. */
  reference: string | null;
  reason: string | null;
  /** Returns whether exactly this was recorded before. */
  isDone(payout: Payout): boolean;
  /** Throws to reject the transition. */
  admit?(uow: UnitOfWork, payout: Payout): Promise<void>;
  entries(payout: Payout): Partial<Record<EntryKind, Posting[]>>;
  /** Applies the consequences, such as mails. */
  after(uow: UnitOfWork, payout: Payout): Promise<void>;
}

async function applyTransition(
  { db }: Deps,
  actor: string,
  payoutId: string,
  ending: PayoutTransition,
): Promise<Payout> {
  const { reference, reason } = ending;
  const move = PAYOUT_MOVES[ending.move];
  return db.transact(async (uow) => {
    const before = await lockPayout(uow.sql, payoutId);
    if (!before) throw fail('not_found', { message: 'No payout has this ID.' });
    await uow.enterTimeOf(before);
    if (ending.isDone(before)) return before;
    const { now } = uow;
    const reverses = ending.move === 'reverse';
    const payout = await changeStatus(uow.sql, payoutId, move, {
      now,
      reference: reverses ? null : reference,
      reversalReference: reverses ? reference : null,
      failureReason: reason,
    });
    if (!payout) throw invalidTransition(before, ending.move);
    await ending.admit?.(uow, payout);
    for (const [kind, postings] of Object.entries(ending.entries(payout))) {
      await postEntry(uow, {
        kind: kind as EntryKind,
        reference: payout.id,
        partnerId: payout.partnerId,
        environment: payout.environment,
        orderId: null,
        postings,
      });
    }
    await ending.after(uow, payout);
    await recordAudit(uow, {
      actor,
      action: ending.action,
      subject: payout.id,
      before: {
        status: before.status,
        ...(reverses && { reference: before.reference, paidAt: before.paidAt }),
      },
      after: { status: payout.status, reference, ...(reason && { reason }) },
    });
    return payout;
  });
}

function mailAbout(payout: Payout) {
  const { id: payoutId, source, amount, reference } = payout;
  return { to: 'contacts', of: payout, data: { payoutId, source, amount, reference } } as const;
}

/** Notifies the partner that its money did not arrive. */
function addFailureMail(uow: UnitOfWork, payout: Payout): void {
  const { data, ...about } = mailAbout(payout);
  uow.mails.add(payoutFailedMail, { ...about, data: { ...data, reason: payout.failureReason } });
}

function invalidTransition(payout: Payout, name: PayoutMoveName) {
  const { from, to } = PAYOUT_MOVES[name];
  const under = payout.reference === null ? '' : ` with reference ${payout.reference}`;
  const returned =
    name === 'fail' && payout.status === 'paid'
      ? ' When its payment came back, reverse it (payout:reverse).'
      : '';
  return conflict(
    'invalid_state',
    `The payout is ${payout.status}${under} and cannot become ${to}; that takes ${from.join(' or ')}.${returned}`,
  );
}
