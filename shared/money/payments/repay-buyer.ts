import { finishJobOf, lockJobOf } from '../../messaging/jobs/dead-jobs.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { conflict, fail } from '../../platform/errors.ts';
import type { Money } from '../../platform/money.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import { refundPaymentKey } from './payment.jobs.ts';
import { updateRefunded } from './payment.store.ts';
import {
  insertOwed,
  insertOwedOfPayment,
  readOwed,
  readRepayment,
  selectUnrefunded,
  updatePaid,
} from './repayment.store.ts';
import type { Repayment } from './repayment.ts';

/** Records that staff must repay a reversed order's price to its buyer by hand; once per order. */
export async function recordRepaymentOwed(
  uow: UnitOfWork,
  owed: { orderId: string; partnerId: string; environment: Environment; amount: Money; now: Date },
): Promise<void> {
  const { amount, ...order } = owed;
  await insertOwed.send(uow.pipeline, {
    ...order,
    amountCents: amount.amount,
    currency: amount.currency,
  });
}

/** Records that staff must repay by hand what a payment's provider does not refund, unless a later refund succeeds. */
export async function recordUnrefundable(uow: UnitOfWork, paymentId: string): Promise<void> {
  await insertOwedOfPayment.send(uow.pipeline, { paymentId, now: uow.realNow });
}

/** Returns a page of the repayments owed to buyers. */
export function listRepayments(
  { db }: { db: Database },
  environment: Environment | null,
  page: ListPage,
): Promise<Page<Repayment>> {
  const read = (limit: number) => readOwed(db.knex, environment, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

/** Returns a repayment by the ID of its order or, without an order, its payment. @throws not_found */
export async function getRepayment({ db }: { db: Database }, id: string): Promise<Repayment> {
  const repayment = await readRepayment(db.knex, id);
  if (!repayment) throw nothingOwed();
  return repayment;
}

/**
 * Records that a buyer was repaid, which also ends the failed refund of the payment. Repeating the same reference
 * changes nothing.
 * @param id of the order or, without an order, of the payment
 * @throws not_found; conflict (invalid_state) if it was paid under another reference, or is being refunded again
 */
export async function markRepaid(
  { db }: { db: Database; clock: Clock },
  actor: string,
  { id, reference }: { id: string; reference: string },
): Promise<Repayment> {
  return db.transact(async (uow) => {
    const { realNow: now } = uow;
    await endFailedRefund(uow, { id, reference });
    const paid = (await updatePaid.run(uow.sql, { id, reference, now })) === 1;
    const repayment = await readRepayment(uow.sql, id);
    if (!repayment) throw nothingOwed();
    if (repayment.reference !== reference) {
      throw conflict('invalid_state', `It was paid back already, as ${repayment.reference}.`);
    }
    if (paid) {
      await recordAudit(uow, {
        actor,
        action: 'repayment:mark-paid',
        subject: id,
        before: { status: 'owed' },
        after: { status: 'paid', reference },
      });
    }
    return repayment;
  });
}

/** Records a payment as refunded by hand if its refund failed, and finishes the dead job. */
async function endFailedRefund(
  uow: UnitOfWork,
  { id, reference }: { id: string; reference: string },
): Promise<void> {
  const payment = await selectUnrefunded.first(uow.sql, { id });
  if (!payment) return;
  const job = await lockJobOf(uow, refundPaymentKey(payment.id));
  if (job?.state !== 'dead') {
    const message = 'The payment provider is refunding this payment. Wait for the result.';
    throw conflict('invalid_state', message);
  }
  await finishJobOf(uow, job.id);
  // With its own reference, so that a late report of the failed refund does not start another one.
  await updateRefunded.send(uow.pipeline, { id: payment.id, reference, now: uow.realNow });
}

function nothingOwed() {
  return fail('not_found', {
    message: 'Nothing has to be refunded by hand for this order or payment.',
  });
}
