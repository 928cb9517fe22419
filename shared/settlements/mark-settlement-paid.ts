import { recordAudit } from '../audit/record-audit.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { assertPayable } from '../partners/may-be-paid.ts';
import { conflict, fail } from '../platform/errors.ts';
import type { Money } from '../platform/money.ts';
import { parseBankReference } from '../platform/payment-reference.ts';
import type { Runtime } from '../runtime.ts';
import { isReusedReference, lockStatement, markPaid } from './settlement.store.ts';
import { ledgerPaymentReference, settlementPaymentPostings } from './settlement-payment.ts';

export interface PaidSettlement {
  id: string;
  status: 'paid';
  amountOwed: Money;
  paidAt: Date;
  reference: string;
}

/**
 * Records that a closed statement was paid (by us, when the amount is negative), with the payment's
 * reference. The same reference again changes nothing.
 * @throws validation_error, not_found, conflict (`not_closed`; `invalid_state` when it was paid under
 *   another reference, or when the payment of this one came back; `partner_suspended` when it is us who pay a suspended partner)
 */
export async function markSettlementPaid(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  actor: string,
  input: { settlementId: string; reference: string },
): Promise<PaidSettlement> {
  const reference = parseBankReference(input.reference);
  return db.transact(async (tx) => {
    const statement = await lockStatement(tx, input.settlementId);
    if (!statement) throw fail('not_found', { message: 'No settlement has this id.' });
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
    if (await isReusedReference(tx, id, 'payment', reference)) {
      throw conflict(
        'invalid_state',
        'The payment with this reference came back. Give the reference of the payment that was made since.',
      );
    }
    if (amountOwed.amount < 0) await assertPayable(tx, statement.partnerId);
    const now = clock.now();
    await markPaid(tx, id, { now, reference });
    if (amountOwed.amount !== 0) {
      await postEntry(
        tx,
        {
          kind: 'settlement_payment',
          reference: ledgerPaymentReference(statement),
          partnerId: statement.partnerId,
          environment: statement.environment,
          orderId: null,
          postings: settlementPaymentPostings(amountOwed),
        },
        now,
      );
    }
    await recordAudit(
      tx,
      {
        actor,
        action: 'settlement:mark-paid',
        subject: id,
        before: { status: 'closed' },
        after: { status: 'paid', reference },
      },
      now,
    );
    return { id, status: 'paid', amountOwed, paidAt: now, reference };
  });
}
