import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, MINUTE } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import { refundPaymentJob } from './payment.jobs.ts';
import {
  beginRefund,
  changeStatus,
  type NewPayment,
  readLive,
  readPayment,
  reviveFailed,
  updateGivenBack,
  updateOrder,
  updateRefunded,
  updateRefundReturned,
  writePayment,
} from './payment.store.ts';
import { type Payment, STATES_BEFORE } from './payment.ts';
import type { PaymentState } from './payment-provider.ts';

/** A provider normally answers sooner; after this time the payment is checked. */
const FIRST_CHECK_MS = 10 * MINUTE;

/**
 * A fresh payment of a checkout session or a renewal, before its provider is asked; undefined when that has a
 * live one, or paid for an order already.
 */
export function openPayment(
  uow: UnitOfWork,
  payment: WithoutId<NewPayment>,
): Promise<Payment | undefined> {
  const id = newId('payment', uow.realNow);
  return writePayment(
    uow.sql,
    { ...payment, id },
    { now: uow.realNow, checkAt: addMs(uow.realNow, FIRST_CHECK_MS) },
  );
}

/** Of each member of a union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** The session's payment that did not fail, if any: in progress, succeeded or refunded. */
export function findSessionPayment(sql: Sql, sessionId: string): Promise<Payment | undefined> {
  return readLive(sql, { sessionId });
}

/** The same of a renewal. */
export function findRenewalPayment(sql: Sql, renewalId: string): Promise<Payment | undefined> {
  return readLive(sql, { renewalId });
}

/** A payment, whoever's. */
export function findPayment(sql: Sql, id: string): Promise<Payment | undefined> {
  return readPayment(sql, id);
}

/**
 * Writes down what the provider said of a payment: the payment afterwards, or undefined when that changed
 * nothing (said before, too late, or no such payment). Success is never taken back. Money that arrives for
 * a payment given up as failed counts, too: as `succeeded`, or as `refund_pending` with its refund on the
 * way when its subject has another live payment.
 */
export async function recordPaymentState(
  uow: UnitOfWork,
  paymentId: string,
  step: PaymentState,
): Promise<Payment | undefined> {
  const { status: to, reference } = step;
  const code = step.status === 'failed' ? step.code : null;
  const moved = await changeStatus(uow.sql, {
    id: paymentId,
    from: STATES_BEFORE[to],
    to,
    reference,
    code,
    now: uow.realNow,
  });
  if (moved || step.status !== 'succeeded') return moved;
  const late = await reviveFailed(uow.sql, {
    id: paymentId,
    reference: step.reference,
    now: uow.realNow,
  });
  if (late?.status === 'refund_pending') uow.jobs.add(refundPaymentJob, { paymentId: late.id });
  return late;
}

/** Ties a payment to the order that it paid for, in the transaction that records the order. */
export async function attachOrder(
  uow: UnitOfWork,
  paymentId: string,
  orderId: string,
): Promise<void> {
  await updateOrder.send(uow.pipeline, { id: paymentId, orderId });
}

/**
 * Begins the refund of a succeeded payment; a job asks the provider, unless a lost dispute has returned the money.
 * Undefined, without a change, when there is no succeeded payment.
 */
export async function requestPaymentRefund(
  uow: UnitOfWork,
  of: { orderId: string } | { paymentId: string },
): Promise<Payment | undefined> {
  const payment = await beginRefund(uow.sql, of, uow.realNow);
  if (payment?.status === 'refund_pending') {
    uow.jobs.add(refundPaymentJob, { paymentId: payment.id });
  }
  return payment;
}

/**
 * A refund that was made came back from the bank: it is asked for again. False, and nothing happens, when it is not
 * the payment's refund.
 */
export async function reopenRefund(
  uow: UnitOfWork,
  paymentId: string,
  reference: string,
): Promise<boolean> {
  const { realNow: now } = uow;
  if ((await updateRefundReturned.run(uow.sql, { id: paymentId, reference, now })) === 0)
    return false;
  uow.jobs.add(refundPaymentJob, { paymentId });
  return true;
}

/** Records that a payment was refunded; false when that is recorded already, or no refund was requested. */
export async function recordPaymentRefunded(
  uow: UnitOfWork,
  paymentId: string,
  reference: string | null,
): Promise<boolean> {
  return (await updateRefunded.run(uow.sql, { id: paymentId, reference, now: uow.realNow })) === 1;
}

/**
 * Ends a refund that a lost dispute has made needless: the bank has returned the whole payment. False, and nothing
 * happens, when no refund is on its way or no such dispute was lost.
 */
export async function endRefundByDispute(uow: UnitOfWork, paymentId: string): Promise<boolean> {
  return (await updateGivenBack.run(uow.sql, { id: paymentId, now: uow.realNow })) === 1;
}
