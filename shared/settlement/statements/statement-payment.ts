import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Posting, reversePostings } from '../../money/ledger/ledger-entry.ts';
import { postEntry } from '../../money/ledger/post-entry.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { assertPayable } from '../../people/partners/partner-lifecycle.ts';
import type { Clock } from '../../platform/clock.ts';
import { conflict, fail } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import { parseBankReference } from '../payouts/bank-reference.ts';
import {
  lockStatement,
  type PayableStatement,
  selectReferenceUse,
  updatePaid,
  updateUnpaid,
} from './statement.store.ts';

export interface PaidSettlement {
  id: string;
  status: 'paid';
  amountOwed: Money;
  paidAt: Date;
  reference: string;
}

/**
 * Records that a closed statement was paid (by us, if the amount is negative), with the payment's
 * reference. Repeating the same reference changes nothing.
 * @throws validation_error, not_found, conflict (`not_closed`; `invalid_state` if it was paid under another reference,
 *   or if the payment with this one was returned; `partner_suspended` if we would pay a suspended partner)
 */
export async function markSettlementPaid(
  { db }: { db: Database; clock: Clock },
  actor: string,
  input: { settlementId: string; reference: string },
): Promise<PaidSettlement> {
  const reference = parseBankReference(input.reference);
  return db.transact(async (uow) => {
    const statement = await lockStatement(uow.sql, input.settlementId);
    if (!statement) throw fail('not_found', { message: 'No settlement has this ID.' });
    await uow.enterTimeOf(statement);
    const { id, amountOwed } = statement;
    if (statement.status === 'closing') {
      throw conflict('not_closed', 'The settlement is being closed. Try again when it is closed.');
    }
    if (statement.status === 'paid') {
      if (statement.paymentReference !== reference || !statement.paidAt) {
        throw conflict(
          'invalid_state',
          `The settlement was paid with reference ${statement.paymentReference}.`,
        );
      }
      return { id, status: 'paid', amountOwed, paidAt: statement.paidAt, reference };
    }
    const { isUsed } = await selectReferenceUse.one(uow.sql, { id, of: 'payment', reference });
    if (isUsed) {
      throw conflict(
        'invalid_state',
        'The payment with this reference came back. Enter the reference of the new payment.',
      );
    }
    if (amountOwed.amount < 0) await assertPayable(uow, statement.partnerId);
    const { now } = uow;
    await updatePaid.send(uow.pipeline, { id, now, reference });
    if (amountOwed.amount !== 0) {
      await postEntry(uow, {
        kind: 'settlement_payment',
        reference: ledgerPaymentReference(statement),
        partnerId: statement.partnerId,
        environment: statement.environment,
        orderId: null,
        postings: settlementPaymentPostings(amountOwed),
      });
    }
    await recordAudit(uow, {
      actor,
      action: 'settlement:mark-paid',
      subject: id,
      before: { status: 'closed' },
      after: { status: 'paid', reference },
    });
    return { id, status: 'paid', amountOwed, paidAt: now, reference };
  });
}

export interface ReversedPayment {
  id: string;
  status: 'closed';
  amountOwed: Money;
  reference: string;
}

/**
 * Records that the payment of a statement was returned: the statement is closed and must be paid again, with its
 * original due date. `reference` identifies the return; repeating it changes nothing.
 * @throws validation_error, not_found, conflict (`invalid_state` if it is not paid, or if an earlier
 *   payment of it was returned under this reference)
 */
export async function reverseSettlementPayment(
  { db }: { db: Database; clock: Clock },
  actor: string,
  input: { settlementId: string; reference: string; reason: string | null },
): Promise<ReversedPayment> {
  const reference = parseBankReference(input.reference);
  return db.transact(async (uow) => {
    const statement = await lockStatement(uow.sql, input.settlementId);
    if (!statement) throw fail('not_found', { message: 'No settlement has this ID.' });
    await uow.enterTimeOf(statement);
    const { id, amountOwed, status } = statement;
    const closed: ReversedPayment = { id, status: 'closed', amountOwed, reference };
    if (statement.reversalReference === reference && status === 'closed') return closed;
    const { isUsed } = await selectReferenceUse.one(uow.sql, { id, of: 'return', reference });
    if (isUsed || status !== 'paid') {
      throw conflict(
        'invalid_state',
        isUsed
          ? 'An earlier payment of this settlement came back under this reference.'
          : `The settlement is ${status}; only the payment of a paid one can be reversed.`,
      );
    }
    await updateUnpaid.send(uow.pipeline, { id, reference });
    if (amountOwed.amount !== 0) {
      await postEntry(uow, {
        kind: 'settlement_payment_reversal',
        reference: ledgerPaymentReference(statement),
        partnerId: statement.partnerId,
        environment: statement.environment,
        orderId: null,
        postings: reversePostings(settlementPaymentPostings(amountOwed)),
      });
    }
    await recordAudit(uow, {
      actor,
      action: 'settlement:reverse-payment',
      subject: id,
      before: { status: 'paid', reference: statement.paymentReference, paidAt: statement.paidAt },
      after: { status: 'closed', reference, ...(input.reason && { reason: input.reason }) },
    });
    return closed;
  });
}

/** Returns the postings of a statement's payment: from what the partner owes to cash. */
function settlementPaymentPostings(amountOwed: Money): Posting[] {
  return [
    { account: 'cash', amount: amountOwed },
    { account: 'partner_receivable', amount: amountOwed.negated() },
  ];
}

/**
 * Returns the ledger reference of a statement's current payment and its reversal: the statement's ID, with a number
 * from the second payment on (`stl_...#2`).
 */
function ledgerPaymentReference({
  id,
  paymentReversals,
}: Pick<PayableStatement, 'id' | 'paymentReversals'>): string {
  return paymentReversals === 0 ? id : `${id}#${paymentReversals + 1}`;
}
