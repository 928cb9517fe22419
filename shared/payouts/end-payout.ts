import { recordAudit } from '../audit/record-audit.ts';
import type { EntryKind, Posting } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import type { Tx } from '../platform/db.ts';
import { conflict, fail, invalid } from '../platform/errors.ts';
import { markCommissionsPaidOut, releaseCommissions } from '../referral/payout-commissions.ts';
import type { Runtime } from '../runtime.ts';
import { lockPayout, releasePayables, updatePayout } from './payout.store.ts';
import { type Payout, payableAccount } from './payout.ts';
import { PAYOUT_MOVES, type PayoutMoveName } from './payout-states.ts';

type Scope = Pick<Runtime, 'db' | 'clock'>;

const MAX_REFERENCE_LENGTH = 255;

/**
 * Records that a pending payout has left the bank. The same reference again changes nothing.
 * @throws validation_error, not_found, conflict (`invalid_state`: it failed, or was paid under another
 *   reference)
 */
export async function markPayoutPaid(
  scope: Scope,
  actor: string,
  input: { payoutId: string; reference: string },
): Promise<Payout> {
  const reference = readReference(input.reference);
  return endPayout(scope, actor, input.payoutId, {
    move: 'pay',
    reference,
    failureReason: null,
    entry: 'payout_payment',
    postings: ({ currency, amountCents }) => [
      { account: 'payouts_in_transit', currency, amountCents },
      { account: 'cash', currency, amountCents: -amountCents },
    ],
    after: (tx, payout, now) => markCommissionsPaidOut(tx, payout.id, now),
  });
}

/**
 * Records that a pending payout did not arrive: we owe its amount again, and the next settlement run pays
 * it by another payout. The same reference again changes nothing.
 * @throws validation_error, not_found, conflict (`invalid_state`: it was paid, or failed under another
 *   reference)
 */
export async function markPayoutFailed(
  scope: Scope,
  actor: string,
  input: { payoutId: string; reference: string | null; reason: string | null },
): Promise<Payout> {
  return endPayout(scope, actor, input.payoutId, {
    move: 'fail',
    reference: input.reference === null ? null : readReference(input.reference),
    failureReason: input.reason,
    entry: 'payout_failure',
    postings: ({ source, currency, amountCents }) => [
      { account: 'payouts_in_transit', currency, amountCents },
      { account: payableAccount(source), currency, amountCents: -amountCents },
    ],
    async after(tx, payout, now) {
      await releasePayables(tx, payout.id, now);
      await releaseCommissions(tx, payout.id, now);
    },
  });
}

interface Ending {
  move: PayoutMoveName;
  reference: string | null;
  failureReason: string | null;
  entry: EntryKind;
  postings(payout: Payout): Posting[];
  after(tx: Tx, payout: Payout, now: Date): Promise<void>;
}

async function endPayout(
  { db, clock }: Scope,
  actor: string,
  payoutId: string,
  ending: Ending,
): Promise<Payout> {
  const { reference, failureReason } = ending;
  const move = PAYOUT_MOVES[ending.move];
  return db.transact(async (tx) => {
    const before = await lockPayout(tx, payoutId);
    if (!before) throw fail('not_found', { message: 'No payout has this id.' });
    if (before.status === move.to && before.reference === reference) return before;
    const now = clock.now();
    const payout = await updatePayout(tx, payoutId, move, { now, reference, failureReason });
    if (!payout) {
      const under = before.reference === null ? '' : ` with reference ${before.reference}`;
      throw conflict(
        'invalid_state',
        `The payout is ${before.status}${under} and cannot become ${move.to}; that takes ${move.from.join(' or ')}.`,
      );
    }
    await postEntry(
      tx,
      {
        kind: ending.entry,
        reference: payout.id,
        partnerId: payout.partnerId,
        environment: payout.environment,
        orderId: null,
        postings: ending.postings(payout),
      },
      now,
    );
    await ending.after(tx, payout, now);
    await recordAudit(
      tx,
      {
        actor,
        action: move.to === 'paid' ? 'payout:mark-paid' : 'payout:mark-failed',
        subject: payout.id,
        before: { status: before.status },
        after: {
          status: payout.status,
          reference,
          ...(failureReason && { reason: failureReason }),
        },
      },
      now,
    );
    return payout;
  });
}

function readReference(text: string): string {
  const reference = text.trim();
  if (reference === '' || reference.length > MAX_REFERENCE_LENGTH) {
    throw invalid([
      { path: '/reference', message: `must have 1 to ${MAX_REFERENCE_LENGTH} characters` },
    ]);
  }
  return reference;
}
