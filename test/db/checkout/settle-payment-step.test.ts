import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delistListing } from '../../../shared/market/inventory/change-listings.ts';
import type { PaymentState } from '../../../shared/money/payments/payment-provider.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { DAY, HOUR } from '../../../shared/platform/clock.ts';
import { applyPaymentState } from '../../../shared/sales/checkout/apply-payment-state.ts';
import {
  cancelSession,
  expireCheckoutSessions,
} from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import { confirmPayment } from '../../../shared/sales/checkout/pay-checkout.ts';
import { CARDS, card, givenSession, ordersOf, payFor, paymentsOf } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

/** A session whose buyer must confirm the payment, with the payment id. */
const asked = async (): Promise<{ session: CheckoutSession; paymentId: string }> => {
  const session = await givenSession(runtime);
  await payFor(runtime, session, card(CARDS.confirms));
  const [payment] = await paymentsOf(runtime, session);
  return { session, paymentId: payment?.id ?? '' };
};
const success = (paymentId: string): PaymentState => ({
  status: 'succeeded',
  reference: `sandbox_${paymentId}`,
});
const stored = (session: CheckoutSession) =>
  runtime.db.knex('checkout_sessions').where({ id: session.id }).first();
const listing = (session: CheckoutSession) =>
  runtime.db.knex('listings').where({ id: session.listingId }).first();
const refundJobs = (paymentId: string) =>
  runtime.db
    .knex('outbox')
    .where({ name: 'refund-payment' })
    .whereRaw(`payload ->> 'paymentId' = ?`, [paymentId]);
const sellElsewhere = (session: CheckoutSession) =>
  runtime.db.knex('listings').where({ id: session.listingId }).update({ status: 'sold' });

describe('a successful payment', () => {
  it('creates one order when reported ten times at once and again later', async () => {
    const { session, paymentId } = await asked();
    const tell = () => applyPaymentState(runtime, paymentId, success(paymentId));
    await Promise.all(Array.from({ length: 10 }, tell));
    await tell();
    const orders = await ordersOf(runtime, session);
    expect(orders).toMatchObject([{ status: 'PAID' }]);
    expect(await stored(session)).toMatchObject({ status: 'paid', order_id: orders[0]?.id });
    expect(await paymentsOf(runtime, session)).toMatchObject([
      { status: 'succeeded', order_id: orders[0]?.id },
    ]);
    expect((await listing(session)).status).toBe('sold');
    expect(await refundJobs(paymentId)).toEqual([]);
  });

  it('is refunded at once when the domain was sold to someone else', async () => {
    const { session, paymentId } = await asked();
    await sellElsewhere(session);
    await Promise.all(
      [1, 2, 3].map(() => applyPaymentState(runtime, paymentId, success(paymentId))),
    );
    expect(await ordersOf(runtime, session)).toEqual([]);
    expect(await stored(session)).toMatchObject({
      status: 'failed',
      last_decline: 'sold_meanwhile',
    });
    expect(await paymentsOf(runtime, session)).toMatchObject([{ status: 'refund_pending' }]);
    expect(await refundJobs(paymentId)).toHaveLength(1);
  });

  it('buys the domain even if its owner delisted it in the meantime', async () => {
    const told = await asked();
    const confirmed = await asked();
    for (const { session } of [told, confirmed]) {
      await delistListing(runtime, { environment: 'SANDBOX', domain: session.domain });
    }
    await applyPaymentState(runtime, told.paymentId, success(told.paymentId));
    await confirmPayment(runtime, confirmed.session.id, true);
    for (const { session } of [told, confirmed]) {
      expect(await ordersOf(runtime, session)).toMatchObject([{ status: 'PAID' }]);
      expect((await listing(session)).status).toBe('sold');
    }
  });

  it('is not started for a domain that is already delisted', async () => {
    const session = await givenSession(runtime);
    await delistListing(runtime, { environment: 'SANDBOX', domain: session.domain });
    const outcome = await payFor(runtime, session, card(CARDS.succeeds));
    expect(outcome).toEqual({ kind: 'sold' });
    expect(await paymentsOf(runtime, session)).toEqual([]);
  });

  it('is refunded when its hold expired and the domain was delisted', async () => {
    const { session, paymentId } = await asked();
    await delistListing(runtime, { environment: 'SANDBOX', domain: session.domain });
    runtime.clock.advance(HOUR);
    await applyPaymentState(runtime, paymentId, success(paymentId));
    expect(await ordersOf(runtime, session)).toEqual([]);
    expect(await refundJobs(paymentId)).toHaveLength(1);
    runtime.clock.advance(-HOUR);
  });

  it('is refunded when its hold expired and another buyer is checking out', async () => {
    const { session, paymentId } = await asked();
    runtime.clock.advance(HOUR);
    const other = {
      ...session,
      id: session.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    };
    await runtime.db.knex('checkout_sessions').insert({
      ...(await stored(session)),
      id: other.id,
    });
    await payFor(runtime, other, card(CARDS.confirms));
    await applyPaymentState(runtime, paymentId, success(paymentId));
    expect((await stored(session)).status).toBe('failed');
    await confirmPayment(runtime, other.id, true);
    expect(await ordersOf(runtime, other)).toHaveLength(1);
    runtime.clock.advance(-HOUR);
  });

  it('still buys the domain after the hold or session expired or the buyer canceled', async () => {
    const late = await asked();
    const given = await asked();
    await cancelSession(runtime, given.session.id);
    runtime.clock.advance(8 * DAY);
    expect(await expireCheckoutSessions(runtime, 100)).toBeGreaterThan(0);
    expect((await stored(late.session)).status).toBe('expired');
    for (const { session, paymentId } of [late, given]) {
      await applyPaymentState(runtime, paymentId, success(paymentId));
      expect(await ordersOf(runtime, session)).toHaveLength(1);
      expect((await stored(session)).status).toBe('paid');
    }
    runtime.clock.advance(-8 * DAY);
  });

  it('counts even if recorded as failed before, unless another payment succeeded', async () => {
    const { session, paymentId } = await asked();
    await applyPaymentState(runtime, paymentId, {
      status: 'failed',
      reference: null,
      code: 'cancelled',
    });
    await payFor(runtime, session, card(CARDS.succeeds));
    await applyPaymentState(runtime, paymentId, success(paymentId));
    expect(await ordersOf(runtime, session)).toHaveLength(1);
    expect(await paymentsOf(runtime, session)).toMatchObject([
      { status: 'refund_pending', order_id: null },
      { status: 'succeeded' },
    ]);
    expect(await refundJobs(paymentId)).toHaveLength(1);
    expect((await stored(session)).status).toBe('paid');
  });
});

describe('a failed payment', () => {
  it('releases the domain, records the reason, and allows another attempt', async () => {
    const { session, paymentId } = await asked();
    const step = { status: 'failed', reference: null, code: 'insufficient_funds' } as const;
    await applyPaymentState(runtime, paymentId, step);
    await applyPaymentState(runtime, paymentId, step);
    expect(await stored(session)).toMatchObject({
      status: 'open',
      last_decline: 'insufficient_funds',
    });
    expect(
      await runtime.db.knex('quotes').where({ listing_id: session.listingId, state: 'open' }),
    ).toEqual([]);
    await payFor(runtime, session, card(CARDS.succeeds));
    expect(await stored(session)).toMatchObject({ status: 'paid', last_decline: null });
  });
});

it('a status for an unknown payment is ignored', async () => {
  await applyPaymentState(runtime, 'pmt_01k6q0v1a2e3rs8h9m4n5p6q7w', success('x'));
});

it('the ledger is balanced after all of the above', async () => {
  expect((await checkLedger(runtime)).ok).toBe(true);
});

it.each([
  ['an order lacks its payment', { order_id: null, status: 'refunded' }],
  ['a payment without an order was kept', { order_id: null }],
  ['a payment was refunded without its order', { status: 'refunded' }],
  ['a payment has the wrong amount', { amount_cents: 1 }],
])('the ledger check reports that %s', async (_what, change) => {
  const { session, paymentId } = await asked();
  await applyPaymentState(runtime, paymentId, success(paymentId));
  expect((await checkLedger(runtime)).ok).toBe(true);
  const payment = runtime.db.knex('payments').where({ checkout_session_id: session.id });
  const before = await payment.clone().first('order_id', 'status', 'amount_cents');
  await payment.clone().update(change);
  const { imbalances } = await checkLedger(runtime);
  expect([...new Set(imbalances.map(({ check }) => check))]).toEqual([
    'payments_match_their_orders',
  ]);
  await payment.clone().update(before);
});
