import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { retryDeadJob } from '../../../shared/messaging/jobs/dead-jobs.ts';
import type { DisputeStatus } from '../../../shared/money/payments/dispute.ts';
import {
  recordPaymentRefunded,
  reopenRefund,
} from '../../../shared/money/payments/payment-lifecycle.ts';
import { reconcilePayments } from '../../../shared/money/payments/payment-updates.ts';
import { listRepayments, markRepaid } from '../../../shared/money/payments/repay-buyer.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import { applyPaymentState } from '../../../shared/sales/checkout/apply-payment-state.ts';
import { moveCaseAndPage, openCaseSession } from '../../../shared/sales/checkout/case-session.ts';
import { eraseAbandonedCheckoutBuyers } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import { applyDispute } from '../../../shared/sales/disputes/apply-dispute.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { givenAgreedCase } from '../../support/brokerage.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import {
  CARDS,
  card,
  givenPayment,
  givenSession,
  ordersOf,
  payFor,
  paymentsOf,
  requestFor,
} from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import {
  type StripeStandIn,
  startStripeStandIn,
  stripeEnv,
} from '../../support/stripe-stand-in.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
let standIn: StripeStandIn;
let ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  standIn = await startStripeStandIn(() => runtime.clock.now());
  runtime = await createTestRuntime({
    ...stripeEnv(standIn),
    outboxPollMs: 20,
    reconcileMs: 100,
    SHUTDOWN_MS: '200',
  });
});
afterEach(async () => {
  for (const end of ending.reverse()) await end();
  ending = [];
  await runtime.stop();
  await standIn.stop();
});

function work(): void {
  const fleet = startWorkers(runtime, { queues: ['payments'] });
  ending.push(() => fleet.stop());
}

async function stopWork(): Promise<void> {
  for (const end of ending.splice(0)) await end();
}

const reconcile = () => reconcilePayments(runtime, applyPaymentState, new AbortController().signal);
const statusesOf = async (session: CheckoutSession) =>
  (await paymentsOf(runtime, session)).map(({ status }) => status);
const untilPaymentIs = (session: CheckoutSession, status: string) =>
  eventually(
    () => statusesOf(session),
    (statuses) => statuses.at(-1) === status,
  );
const refundJob = async () => {
  const [job] = await runtime.db
    .knex('outbox')
    .where({ name: 'refund-payment' })
    .select('id', 'state', 'last_error', 'run_at', 'attempts');
  return job;
};

/** A LIVE session that was sold through Stripe, with its order. */
async function givenSoldSession() {
  const session = await givenSession(runtime, 'LIVE');
  await payFor(runtime, session, null);
  const [payment] = await paymentsOf(runtime, session);
  standIn.pay(payment?.provider_reference ?? '');
  runtime.clock.advance(10 * MINUTE);
  await reconcile();
  const [order] = await ordersOf(runtime, session);
  return { session, orderId: order?.id ?? '' };
}

/** An order taken back whose refund Stripe rejected. */
async function givenRejectedRefund() {
  const sold = await givenSoldSession();
  standIn.refundStatus = 'failed';
  work();
  await takeBack(runtime, sold.orderId);
  await eventually(refundJob, (job) => job.state === 'dead');
  return sold;
}

const owed = async () =>
  (await listRepayments(runtime, 'LIVE', firstPage('oldest' as const, 5))).rows;
const repaymentOf = (orderId: string) =>
  runtime.db.knex('buyer_repayments').where({ order_id: orderId }).first();

/** Takes in what Stripe says of the dispute of an order's payment. */
async function disputeOf(orderId: string, status: DisputeStatus) {
  const payment = await runtime.db.knex('payments').where({ order_id: orderId }).first();
  await applyDispute(runtime, payment.id, {
    reference: `du_${orderId}`,
    status,
    reason: 'product_not_received',
    amount: new Money(Number(payment.amount_cents), payment.currency),
    evidenceDueAt: null,
  });
}

describe('refunding a payment', () => {
  it.each(['refund', 'cancel'] as const)(
    'returns the money through Stripe after a %s',
    async (kind) => {
      const { session, orderId } = await givenSoldSession();
      work();
      await takeBack(runtime, orderId, kind);
      await untilPaymentIs(session, 'refunded');
      expect(standIn.refunds).toMatchObject([
        { amount: session.price.amount, status: 'succeeded' },
      ]);
      const [payment] = await paymentsOf(runtime, session);
      expect(payment?.refund_reference).toBe(standIn.refunds[0]?.id);
      expect((await refundJob()).state).toBe('done');
    },
  );

  it('returns the money in the sandbox for a sandbox order', async () => {
    const session = await givenSession(runtime);
    await payFor(runtime, session, card(CARDS.succeeds));
    const [order] = await ordersOf(runtime, session);
    work();
    await takeBack(runtime, order?.id ?? '');
    await untilPaymentIs(session, 'refunded');
    expect(await runtime.db.knex('sandbox_payments').whereNotNull('refunded_at')).toHaveLength(1);
    expect(standIn.refunds).toEqual([]);
  });

  it('waits until a dispute of the payment is closed', async () => {
    const { session, orderId } = await givenSoldSession();
    const page = (await paymentsOf(runtime, session))[0]?.provider_reference ?? '';
    const intent = standIn.sessions.get(page)?.payment_intent ?? '';
    standIn.disputed.add(intent);
    await disputeOf(orderId, 'needs_response');
    await takeBack(runtime, orderId, 'refund');
    work();
    const waiting = await eventually(
      refundJob,
      (job) => job.state === 'pending' && job.run_at > addMs(runtime.clock.now(), HOUR),
    );
    expect(waiting.last_error).toBeNull();
    standIn.disputed.delete(intent);
    await disputeOf(orderId, 'won');
    runtime.clock.advance(26 * HOUR);
    await untilPaymentIs(session, 'refunded');
    expect(standIn.refunds).toHaveLength(1);
  });

  it('sends no refund when the bank returned the money through a lost dispute', async () => {
    const { session, orderId } = await givenSoldSession();
    await disputeOf(orderId, 'needs_response');
    await takeBack(runtime, orderId, 'refund');
    await disputeOf(orderId, 'lost');
    expect(await statusesOf(session)).toEqual(['refunded']);
    const [payment] = await paymentsOf(runtime, session);
    expect(payment?.refund_reference).toBe(`du_${orderId}`);
    work();
    expect((await eventually(refundJob, (job) => job.state === 'done')).state).toBe('done');
    expect(standIn.refunds).toEqual([]);
  });

  it('makes one refund even if Stripe disconnects after processing it', async () => {
    const { session, orderId } = await givenSoldSession();
    // Every request of the first run, the ones that the SDK makes again included.
    standIn.faults = ['cut', 'cut', 'cut'];
    await takeBack(runtime, orderId);
    work();
    await untilPaymentIs(session, 'refunded');
    expect(standIn.refunds).toHaveLength(1);
  });

  it('checks a pending refund again later', async () => {
    const { session, orderId } = await givenSoldSession();
    standIn.refundStatus = 'pending';
    work();
    await takeBack(runtime, orderId);
    await eventually(
      refundJob,
      (job) => job.state === 'pending' && job.run_at > runtime.clock.now(),
    );
    expect(await statusesOf(session)).toEqual(['refund_pending']);
    const [refund] = standIn.refunds;
    if (refund) refund.status = 'succeeded';
    runtime.clock.advance(HOUR);
    await untilPaymentIs(session, 'refunded');
    expect(standIn.refunds).toHaveLength(1);
  });

  it('gets all its attempts back each time Stripe reports a pending refund', async () => {
    const { orderId } = await givenSoldSession();
    standIn.refundStatus = 'pending';
    await takeBack(runtime, orderId);
    await runtime.db.knex('outbox').where({ name: 'refund-payment' }).update({ attempts: 10 });
    work();
    const job = await eventually(
      refundJob,
      ({ state, run_at }) => state === 'pending' && run_at > runtime.clock.now(),
    );
    expect(job.attempts).toBe(0);
  });

  it('stops when Stripe rejects the refund; staff then repay the buyer by hand', async () => {
    const { session, orderId } = await givenRejectedRefund();
    expect((await refundJob()).last_error).toBe('stripe refused the refund');
    expect(await statusesOf(session)).toEqual(['refund_pending']);
    expect(await owed()).toMatchObject([
      {
        id: orderId,
        orderId,
        paymentId: null,
        amount: session.price,
        status: 'owed',
        reference: null,
      },
    ]);

    const repaid = () => markRepaid(runtime, 'usr_finance', { id: orderId, reference: 'wire-1' });
    expect(await repaid()).toMatchObject({ status: 'paid', reference: 'wire-1' });
    expect(await repaid()).toMatchObject({ status: 'paid', reference: 'wire-1' });
    expect(await refundJob()).toMatchObject({ state: 'done' });
    const [payment] = await paymentsOf(runtime, session);
    expect(payment).toMatchObject({ status: 'refunded', refund_reference: 'wire-1' });
    const late = standIn.refunds[0]?.id ?? '';
    const reopened = await runtime.db.transact((uow) => reopenRefund(uow, payment?.id ?? '', late));
    expect(reopened).toBe(false);
  });

  it('owes the buyer nothing by hand once a retry succeeds', async () => {
    const { session, orderId } = await givenRejectedRefund();
    standIn.refundStatus = 'succeeded';
    await stopWork();
    await retryDeadJob(runtime, (await refundJob()).id);
    const early = markRepaid(runtime, 'usr_finance', { id: orderId, reference: 'wire-1' });
    await expect(early).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
    work();
    await untilPaymentIs(session, 'refunded');
    expect(await repaymentOf(orderId)).toMatchObject({
      status: 'paid',
      reference: standIn.refunds[1]?.id,
    });
  });

  it('is left to staff once the bank has returned three refunds', async () => {
    const { orderId } = await givenSoldSession();
    standIn.refundStatus = 'failed';
    await takeBack(runtime, orderId);
    for (const made of [1, 2, 3, 3]) {
      work();
      await eventually(refundJob, (job) => job.state === 'dead');
      await stopWork();
      expect(standIn.refunds).toHaveLength(made);
      await retryDeadJob(runtime, (await refundJob()).id);
    }
    expect(await repaymentOf(orderId)).toMatchObject({ status: 'owed' });
  });
});

describe('money that arrives too late to buy anything', () => {
  const payAtStripe = async (payment: { provider_reference: string | null } | undefined) => {
    standIn.pay(payment?.provider_reference ?? '');
    runtime.clock.advance(10 * MINUTE);
    await reconcile();
  };

  /** A checkout whose buyer paid twice: the first payment counted as failed when its money arrived. */
  async function givenPaidTwice() {
    const session = await givenSession(runtime, 'LIVE');
    await payFor(runtime, session, null);
    const [first] = await paymentsOf(runtime, session);
    const id = first?.id ?? '';
    await applyPaymentState(runtime, id, { status: 'failed', reference: null, code: 'cancelled' });
    await payFor(runtime, session, null);
    await payAtStripe((await paymentsOf(runtime, session))[1]);
    expect(await statusesOf(session)).toEqual(['failed', 'succeeded']);
    const reference = first?.provider_reference ?? '';
    standIn.pay(reference);
    await applyPaymentState(runtime, id, { status: 'succeeded', reference });
    return { session, id, reference };
  }

  /** A brokerage deal that staff closed while its buyer was paying. */
  async function givenPaidAfterTheDeal() {
    const partner = await givenPartner(runtime, { environment: 'LIVE' });
    const { id: caseId } = await givenAgreedCase(runtime, partner, 'USD');
    const { knex } = runtime.db;
    await knex('brokerage_cases').where({ id: caseId }).update({ latest_offer_cents: 450_000 });
    await openCaseSession(runtime, caseId, 'https://market.example/progress');
    const { id: sessionId } = await knex('checkout_sessions')
      .where({ brokerage_case_id: caseId })
      .first('id');
    const session = { id: sessionId, price: new Money(450_000, 'USD') } as CheckoutSession;
    await payFor(runtime, session, null);
    await runtime.db.transact((uow) =>
      moveCaseAndPage(uow, runtime, { caseId, to: 'CLOSED_NO_DEAL', by: 'ops' }),
    );
    const [payment] = await paymentsOf(runtime, session);
    await payAtStripe(payment);
    return { session, id: payment?.id ?? '', reference: payment?.provider_reference ?? '' };
  }

  const cases = [
    ['of a checkout', givenPaidTwice],
    ['of a brokerage deal', givenPaidAfterTheDeal],
  ] as const;

  it.each(cases)('is repaid by hand when Stripe rejects its refund, %s', async (_of, given) => {
    standIn.refundStatus = 'failed';
    const { session, id, reference } = await given();
    work();
    await eventually(refundJob, (job) => job.state === 'dead');
    const { domain } = await runtime.db
      .knex('checkout_sessions')
      .where({ id: session.id })
      .first('domain');
    expect(await owed()).toMatchObject([
      {
        ...{ id, orderId: null, paymentId: id, renewalId: null, providerReference: reference },
        ...{ domain, buyerEmail: 'buyer@example.com', amount: session.price, status: 'owed' },
      },
    ]);

    const repaid = (given: string) => markRepaid(runtime, 'usr_finance', { id, reference: given });
    expect(await repaid('wire-1')).toMatchObject({ status: 'paid', reference: 'wire-1' });
    expect(await repaid('wire-1')).toMatchObject({ status: 'paid', reference: 'wire-1' });
    await expect(repaid('wire-2')).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
    expect(await owed()).toEqual([]);
    expect(await refundJob()).toMatchObject({ state: 'done' });
    const payment = (await paymentsOf(runtime, session)).find((each) => each.id === id);
    expect(payment).toMatchObject({ status: 'refunded', refund_reference: 'wire-1' });
    expect(await runtime.db.knex('audit_log').where({ subject: id })).toMatchObject([
      { action: 'repayment:mark-paid', actor: 'usr_finance' },
    ]);
    expect((await checkLedger(runtime)).imbalances).toEqual([]);
  });

  it('is not owed any longer once a retry of its refund succeeds', async () => {
    standIn.refundStatus = 'failed';
    const { id } = await givenPaidTwice();
    work();
    await eventually(refundJob, (job) => job.state === 'dead');
    standIn.refundStatus = 'succeeded';
    await retryDeadJob(runtime, (await refundJob()).id);
    const [paid] = await eventually(
      () => runtime.db.knex('buyer_repayments').where({ payment_id: id }),
      ([row]) => row?.status === 'paid',
    );
    expect(paid).toMatchObject({ order_id: null, reference: standIn.refunds[1]?.id });
    const again = markRepaid(runtime, 'usr_finance', { id, reference: 'wire-1' });
    await expect(again).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
  });

  it('is no repayment of the order that another payment of the checkout bought', async () => {
    standIn.refundStatus = 'failed';
    const { session, id } = await givenPaidTwice();
    const [order] = await ordersOf(runtime, session);
    work();
    await eventually(refundJob, (job) => job.state === 'dead');
    const wrong = markRepaid(runtime, 'usr_finance', { id: order?.id ?? '', reference: 'wire-1' });
    await expect(wrong).rejects.toMatchObject({ code: 'not_found' });
    expect(await owed()).toMatchObject([{ id }]);
  });

  it('keeps its buyer’s address until it is refunded', async () => {
    const { session, id } = await givenPaidAfterTheDeal();
    const erase = () => eraseAbandonedCheckoutBuyers(runtime, 10);
    runtime.clock.advance(30 * DAY);
    expect(await erase()).toBe(0);
    await runtime.db.transact((uow) => recordPaymentRefunded(uow, id, 're_1'));
    expect(await erase()).toBe(1);
    expect(await statusesOf(session)).toEqual(['refunded']);
  });
});

describe('payment reconciliation', () => {
  it('is run by the workers', async () => {
    const session = await givenSession(runtime, 'LIVE');
    await payFor(runtime, session, null);
    const [payment] = await paymentsOf(runtime, session);
    standIn.pay(payment?.provider_reference ?? '');
    runtime.clock.advance(10 * MINUTE);
    work();
    await untilPaymentIs(session, 'succeeded');
    expect(await ordersOf(runtime, session)).toMatchObject([{ status: 'PAID' }]);
  });

  it('settles a payment whose notification never arrived', async () => {
    const { session } = await givenSoldSession();
    expect(await statusesOf(session)).toEqual(['succeeded']);
    expect(await ordersOf(runtime, session)).toMatchObject([{ status: 'PAID' }]);
    expect(await reconcile()).toEqual({ asked: 0, unanswered: 0 });
  });

  it('skips recent payments and checks open ones less and less often', async () => {
    const session = await givenSession(runtime, 'LIVE');
    await payFor(runtime, session, null);
    let asked = (await reconcile()).asked;
    expect(asked).toBe(0);
    for (let minute = 0; minute < 60; minute += 1) {
      runtime.clock.advance(MINUTE);
      asked += (await reconcile()).asked;
    }
    // At about 10, 20 and 40 minutes.
    expect(asked).toBe(3);
    expect(await statusesOf(session)).toEqual(['requires_confirmation']);
  });

  it('fails a payment that Stripe never received', async () => {
    const session = await givenSession(runtime, 'LIVE');
    standIn.faults = [500, 500, 500];
    await expect(payFor(runtime, session, null)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(await statusesOf(session)).toEqual(['created']);
    runtime.clock.advance(10 * MINUTE);
    await reconcile();
    expect(await statusesOf(session)).toEqual(['failed']);
    await payFor(runtime, session, null);
    expect(await statusesOf(session)).toEqual(['failed', 'requires_confirmation']);
  });

  it('finds a sandbox charge whose checkout crashed before recording it', async () => {
    const session = await givenSession(runtime);
    // Written together with the payment, before the provider is asked.
    await runtime.db
      .knex('checkout_sessions')
      .where({ id: session.id })
      .update({ buyer_email: 'buyer@example.com' });
    const payment = await givenPayment(runtime, {
      sessionId: session.id,
      partnerId: session.partnerId,
      amountCents: session.price.amount,
    });
    const request = requestFor(payment, {
      now: runtime.clock.now(),
      card: card(CARDS.succeeds),
    });
    await runtime.payments('SANDBOX').begin(request);
    runtime.clock.advance(10 * MINUTE);
    await reconcile();
    expect(await statusesOf(session)).toEqual(['succeeded']);
  });

  it('continues past a payment whose status cannot be read', async () => {
    const sessions = [await givenSession(runtime, 'LIVE'), await givenSession(runtime, 'LIVE')];
    for (const session of sessions) {
      await payFor(runtime, session, null);
      const [payment] = await paymentsOf(runtime, session);
      standIn.pay(payment?.provider_reference ?? '');
    }
    runtime.clock.advance(10 * MINUTE);
    standIn.faults = [500, 500, 500];
    expect(await reconcile()).toEqual({ asked: 2, unanswered: 1 });
    runtime.clock.advance(10 * MINUTE);
    expect(await reconcile()).toEqual({ asked: 1, unanswered: 0 });
    expect((await Promise.all(sessions.map(statusesOf))).flat()).toEqual([
      'succeeded',
      'succeeded',
    ]);
  });
});
