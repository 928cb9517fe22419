import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { conflict, fail } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import * as store from './repayment.store.ts';
import type { Repayment } from './repayment.ts';

/** Notes that the price of an order that was taken back is to go back to its buyer by hand; once an order. */
export async function recordRepaymentOwed(
  tx: Tx,
  owed: { orderId: string; partnerId: string; environment: Environment; amount: Money; now: Date },
): Promise<void> {
  await store.insertOwed(tx, owed);
}

/** What is owed to buyers, the oldest first. */
export function listRepayments({ db }: { db: Database }, limit: number): Promise<Repayment[]> {
  return store.selectOwed(db.knex, limit);
}

/**
 * Records that a buyer got the money back. The same reference again changes nothing.
 * @throws not_found; conflict (invalid_state) when it was paid under another reference
 */
export async function markRepaid(
  { db, clock }: { db: Database; clock: Clock },
  actor: string,
  { orderId, reference }: { orderId: string; reference: string },
): Promise<Repayment> {
  return db.transact(async (tx) => {
    const now = clock.now();
    const paid = await store.markPaid(tx, orderId, { reference, now });
    const repayment = await store.selectRepayment(tx, orderId);
    if (!repayment) throw nothingOwed();
    if (repayment.reference !== reference) {
      throw conflict('invalid_state', `It was paid back already, as ${repayment.reference}.`);
    }
    if (paid) {
      await recordAudit(
        tx,
        {
          actor,
          action: 'repayment:mark-paid',
          subject: orderId,
          before: { status: 'owed' },
          after: { status: 'paid', reference },
        },
        now,
      );
    }
    return repayment;
  });
}

function nothingOwed() {
  return fail('not_found', { message: 'The buyer of this order is owed nothing by hand.' });
}
