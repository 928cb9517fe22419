import { recordAudit } from '../audit/record-audit.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { conflict, fail, invalid } from '../platform/errors.ts';
import type { Runtime } from '../runtime.ts';
import { lockStatement, markPaid } from './settlement.store.ts';

export interface PaidSettlement {
  id: string;
  status: 'paid';
  amountOwedCents: number;
  currency: string;
  paidAt: Date;
  reference: string;
}

const MAX_REFERENCE_LENGTH = 255;

/**
 * Records that a closed statement was paid (by us, when the amount is negative), with the payment's
 * reference. The same reference again changes nothing.
 * @throws validation_error, not_found, conflict (`not_closed`; `invalid_state` when it was paid under
 *   another reference)
 */
export async function markSettlementPaid(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  actor: string,
  input: { settlementId: string; reference: string },
): Promise<PaidSettlement> {
  const reference = input.reference.trim();
  if (reference === '' || reference.length > MAX_REFERENCE_LENGTH) {
    throw invalid([
      { path: '/reference', message: `must have 1 to ${MAX_REFERENCE_LENGTH} characters` },
    ]);
  }
  return db.transact(async (tx) => {
    const statement = await lockStatement(tx, input.settlementId);
    if (!statement) throw fail('not_found', { message: 'No settlement has this id.' });
    const { id, currency, amountOwedCents } = statement;
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
      return { id, status: 'paid', amountOwedCents, currency, paidAt: statement.paidAt, reference };
    }
    const now = clock.now();
    await markPaid(tx, id, { now, reference });
    if (amountOwedCents !== 0) {
      await postEntry(
        tx,
        {
          kind: 'settlement_payment',
          reference: id,
          partnerId: statement.partnerId,
          environment: statement.environment,
          orderId: null,
          postings: [
            { account: 'cash', currency, amountCents: amountOwedCents },
            { account: 'partner_receivable', currency, amountCents: -amountOwedCents },
          ],
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
    return { id, status: 'paid', amountOwedCents, currency, paidAt: now, reference };
  });
}
