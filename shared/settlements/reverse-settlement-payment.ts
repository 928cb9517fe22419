import { recordAudit } from '../audit/record-audit.ts';
import { reversePostings } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { conflict, fail } from '../platform/errors.ts';
import type { Money } from '../platform/money.ts';
import { parseBankReference } from '../platform/payment-reference.ts';
import type { Runtime } from '../runtime.ts';
import { isReusedReference, lockStatement, markUnpaid } from './settlement.store.ts';
import { ledgerPaymentReference, settlementPaymentPostings } from './settlement-payment.ts';

export interface ReversedPayment {
  id: string;
  status: 'closed';
  amountOwed: Money;
  reference: string;
}

/**
 * Records that the payment of a statement came back: the statement is closed and to be paid again, under the due
 * date that it had. `reference` names the return; the same one again changes nothing.
 * @throws validation_error, not_found, conflict (`invalid_state` when it is not paid, or when an earlier
 *   payment of it came back under this reference)
 */
export async function reverseSettlementPayment(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  actor: string,
  input: { settlementId: string; reference: string; reason: string | null },
): Promise<ReversedPayment> {
  const reference = parseBankReference(input.reference);
  return db.transact(async (tx) => {
    const statement = await lockStatement(tx, input.settlementId);
    if (!statement) throw fail('not_found', { message: 'No settlement has this id.' });
    const { id, amountOwed, status } = statement;
    const closed: ReversedPayment = { id, status: 'closed', amountOwed, reference };
    if (statement.reversalReference === reference && status === 'closed') return closed;
    const known = await isReusedReference(tx, id, 'return', reference);
    if (known || status !== 'paid') {
      throw conflict(
        'invalid_state',
        known
          ? 'An earlier payment of this settlement came back under this reference.'
          : `The settlement is ${status}; only the payment of a paid one can be reversed.`,
      );
    }
    const now = clock.now();
    await markUnpaid(tx, id, reference);
    if (amountOwed.amount !== 0) {
      await postEntry(
        tx,
        {
          kind: 'settlement_payment_reversal',
          reference: ledgerPaymentReference(statement),
          partnerId: statement.partnerId,
          environment: statement.environment,
          orderId: null,
          postings: reversePostings(settlementPaymentPostings(amountOwed)),
        },
        now,
      );
    }
    await recordAudit(
      tx,
      {
        actor,
        action: 'settlement:reverse-payment',
        subject: id,
        before: { status: 'paid', reference: statement.paymentReference, paidAt: statement.paidAt },
        after: { status: 'closed', reference, ...(input.reason && { reason: input.reason }) },
      },
      now,
    );
    return closed;
  });
}
