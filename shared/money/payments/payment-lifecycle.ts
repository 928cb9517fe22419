import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, MINUTE } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { Money } from '../../platform/money.ts';
import { refundPaymentJob } from './payment.jobs.ts';
import {
  beginRefund,
  changeStatus,
  type NewPayment,
  readLive,
  readPayment,
  reviveFailed,
  selectIsReturned,
  updateGivenBack,
  updateOrder,
  updatePartlyReturned,
  updateRefunded,
  updateRefundReturned,
  updateReturned,
  writePayment,
} from './payment.store.ts';
import { type Payment, STATES_BEFORE } from './payment.ts';
import type { PaymentState } from './payment-provider.ts';
import { updatePaidByProvider } from './repayment.store.ts';

/** When to first check a payment with its provider, which normally responds sooner. */
const FIRST_CHECK_MS = 10 * MINUTE;

/**
 * Creates a payment of a checkout session or renewal before calling the provider; undefined if the session or renewal
 * has a live payment, or one that already paid for an order.
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

/** Omits the ID from each member of a union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** Returns a session's payment that did not fail, if any: in progress, succeeded or refunded. */
export function findSessionPayment(sql: Sql, sessionId: string): Promise<Payment | undefined> {
  return readLive(sql, { sessionId });
}

/** Like {@link findSessionPayment}, for a renewal. */
export function findRenewalPayment(sql: Sql, renewalId: string): Promise<Payment | undefined> {
  return readLive(sql, { renewalId });
}

/** Returns any payment by ID. */
export function findPayment(sql: Sql, id: string): Promise<Payment | undefined> {
  return readPayment(sql, id);
}

/**
 * Records the provider's state of a payment. Returns the updated payment, or undefined if nothing changed (a repeated
 * or late state, or no such payment). Success is never undone. Money that arrives for a failed payment counts too: as
 * `succeeded`, or, if its session or renewal has another live payment, as `refund_pending` with its refund
 * under way.
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

/** Links a payment to the order that it paid for, in the transaction that records the order. */
export async function attachOrder(
  uow: UnitOfWork,
  paymentId: string,
  orderId: string,
): Promise<void> {
  await updateOrder.send(uow.pipeline, { id: paymentId, orderId });
}

/**
 * Starts the refund of a succeeded payment; a job calls the provider, unless the buyer already has the money back.
 * Returns undefined and changes nothing if there is no succeeded payment.
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
 * Requests a refund again after the bank returned it. Returns false and changes nothing if it is not
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

/** Records that a payment was refunded; returns false if already recorded, or if no refund was requested. */
export async function recordPaymentRefunded(
  uow: UnitOfWork,
  paymentId: string,
  reference: string | null,
): Promise<boolean> {
  const { realNow: now } = uow;
  const recorded = (await updateRefunded.run(uow.sql, { id: paymentId, reference, now })) === 1;
  if (recorded) await updatePaidByProvider.send(uow.pipeline, { paymentId, now });
  return recorded;
}

/**
 * Records that a payment was refunded in full by hand at its provider, where no money is left to refund. Returns false
 * if that was recorded before.
 */
export async function recordPaymentReturned(uow: UnitOfWork, paymentId: string): Promise<boolean> {
  return (await updateReturned.run(uow.sql, { id: paymentId, now: uow.realNow })) === 1;
}

/**
 * Records how much of a payment was refunded by hand at its provider in total, while it is less than all of it. Returns
 * false if that much is known, or if all is refunded or about to be.
 */
export async function recordPartialReturn(
  uow: UnitOfWork,
  paymentId: string,
  { amount: amountCents }: Money,
): Promise<boolean> {
  return (await updatePartlyReturned.run(uow.sql, { id: paymentId, amountCents })) === 1;
}

/** Returns whether the payment of an order was refunded in full by hand at its provider. */
export async function isPaymentReturned(sql: Sql, orderId: string): Promise<boolean> {
  return (await selectIsReturned.one(sql, { orderId })).found;
}

/**
 * Ends a refund that a lost dispute has made unnecessary: the bank has returned the full payment. Returns false and
 * changes nothing if no refund is pending or no such dispute was lost.
 */
export async function endRefundByDispute(uow: UnitOfWork, paymentId: string): Promise<boolean> {
  const { realNow: now } = uow;
  const ended = (await updateGivenBack.run(uow.sql, { id: paymentId, now })) === 1;
  if (ended) await updatePaidByProvider.send(uow.pipeline, { paymentId, now });
  return ended;
}
