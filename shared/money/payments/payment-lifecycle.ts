import { enqueue } from '../../delivery/jobs/enqueue.ts';
import { addMs, type Clock, DAY, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database, Sql, Tx } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { refundPaymentJob } from './payment.jobs.ts';
import * as store from './payment.store.ts';
import {
  beginRefund,
  deleteFailedPayments,
  endRefund,
  insertPayment,
  type NewPayment,
  reviveFailed,
  setOrder,
  updateStatus,
} from './payment.store.ts';
import { type Payment, STATES_BEFORE } from './payment.ts';
import type { PaymentState } from './payment-provider.ts';
import { deleteEndedPayments } from './sandbox-payment.store.ts';

/** A provider's answer to a request under way comes sooner; after it, somebody has to ask. */
const FIRST_CHECK_MS = 10 * MINUTE;

/**
 * A fresh payment of a checkout session, before its provider is asked; undefined when the session has a
 * live one, or paid for an order already.
 */
export function openPayment(
  tx: Tx,
  payment: Omit<NewPayment, 'id'>,
  now: Date,
): Promise<Payment | undefined> {
  const id = newId('payment', now);
  return insertPayment(tx, { ...payment, id }, { now, checkAt: addMs(now, FIRST_CHECK_MS) });
}

/** The session's payment that did not fail, if there is one: under way, succeeded, or given back. */
export function findSessionPayment(sql: Sql, sessionId: string): Promise<Payment | undefined> {
  return store.findLive(sql, sessionId);
}

/** A payment of any partner. */
export function findPayment(sql: Sql, id: string): Promise<Payment | undefined> {
  return store.findById(sql, id);
}

/**
 * Writes down what the provider said of a payment: the payment afterwards, or undefined when that changed
 * nothing (said before, too late, or no such payment). Success is never taken back. Money that arrives for
 * a payment given up as failed counts, too: as `succeeded`, or as `refund_pending` with its refund on the
 * way when the session has another live payment.
 */
export async function recordPaymentState(
  tx: Tx,
  paymentId: string,
  step: PaymentState,
  now: Date,
): Promise<Payment | undefined> {
  const { status: to, reference } = step;
  const code = step.status === 'failed' ? step.code : null;
  const moved = await updateStatus(tx, {
    id: paymentId,
    from: STATES_BEFORE[to],
    to,
    reference,
    code,
    now,
  });
  if (moved || step.status !== 'succeeded') return moved;
  const late = await reviveFailed(tx, { id: paymentId, reference: step.reference, now });
  if (late?.status === 'refund_pending') await enqueue(tx, [refundPaymentJob(late.id, now)], now);
  return late;
}

/** Ties a payment to the order that it paid for, in the transaction that records the order. */
export function attachOrder(tx: Tx, paymentId: string, orderId: string): Promise<void> {
  return setOrder(tx, paymentId, orderId);
}

/**
 * Sends the money of a succeeded payment on its way back; a job asks the provider. Undefined, and nothing
 * happens, when there is no succeeded payment.
 */
export async function requestPaymentRefund(
  tx: Tx,
  of: { orderId: string } | { paymentId: string },
  now: Date,
): Promise<Payment | undefined> {
  const payment = await beginRefund(tx, of, now);
  if (payment) await enqueue(tx, [refundPaymentJob(payment.id, now)], now);
  return payment;
}

/** Writes down that a payment's money went back; false when that was written before, or nobody asked for it. */
export function recordPaymentRefunded(
  tx: Tx,
  paymentId: string,
  reference: string | null,
  now: Date,
): Promise<boolean> {
  return endRefund(tx, paymentId, reference, now);
}

interface Deps {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Deletes up to `limit` payments that failed CHECKOUT_KEEP_DAYS ago, and says how many. Payments that moved money
 * are kept for good, also those that went back.
 */
export function prunePayments({ db, clock, config }: Deps, limit: number): Promise<number> {
  return deleteFailedPayments(db.knex, addMs(clock.now(), -config.checkoutKeepDays * DAY), limit);
}

/** Deletes up to `limit` payments of the sandbox's provider that can neither be taken nor given back any more. */
export function pruneSandboxPayments({ db, clock, config }: Deps, limit: number): Promise<number> {
  return deleteEndedPayments(db.knex, addMs(clock.now(), -config.sandboxKeepDays * DAY), limit);
}
