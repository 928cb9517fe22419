import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { DAY, MINUTE } from '../../../shared/platform/clock.ts';
import { expireCheckoutSessions } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import { eraseBuyersTask } from '../../../workers/scheduled/sweeps.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { startTestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { CARDS, card, givenSession, ordersOf, payFor, paymentsOf } from '../../support/payments.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import type { StandInSession, StripeStandIn } from '../../support/stripe-stand-in.ts';
import { takeBack } from '../../support/take-back.ts';
import { wholeDatabase } from '../../support/whole-database.ts';

let app: StripeApp;
let standIn: StripeStandIn;
beforeAll(async () => {
  app = await startStripeApp({ MAIL: 'on', outboxPollMs: 20, SHUTDOWN_MS: '200' });
  standIn = app.stripe;
});
afterAll(() => app.stop());
afterEach(() => {
  standIn.refundStatus = 'succeeded';
});

const stateOf = async (session: CheckoutSession) => ({
  payments: (await paymentsOf(app.runtime, session)).map(({ status }) => status),
  orders: (await ordersOf(app.runtime, session)).map(({ status }) => status),
});

describe('Stripe webhook events', () => {
  it('create the order once for a completed payment, however often they arrive', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    expect(await stateOf(session)).toEqual({ payments: ['requires_confirmation'], orders: [] });
    const paid = standIn.pay(page);
    await Promise.all([1, 2, 3].map(() => app.tell('checkout.session.completed', paid)));
    await app.tell('checkout.session.async_payment_succeeded', paid);
    expect(await stateOf(session)).toEqual({ payments: ['succeeded'], orders: ['PAID'] });
    const [payment] = await paymentsOf(app.runtime, session);
    const [order] = await ordersOf(app.runtime, session);
    expect(payment?.order_id).toBe(order?.id);
  });

  it('are ignored with another amount, currency or mode', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    const paid = standIn.pay(page);
    for (const wrong of [{ amount_total: 1 }, { currency: 'jpy' }, { livemode: true }]) {
      await app.tell('checkout.session.completed', { ...paid, ...wrong });
      expect(await stateOf(session)).toEqual({ payments: ['requires_confirmation'], orders: [] });
    }
    await app.tell('checkout.session.completed', paid);
    expect(await stateOf(session)).toEqual({ payments: ['succeeded'], orders: ['PAID'] });
  });

  it('are ignored when they arrive out of order', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    const asItWas = structuredClone(standIn.pay(page, 'processing'));
    await app.tell('checkout.session.async_payment_succeeded', standIn.debit(page, null));
    await app.tell('checkout.session.completed', asItWas);
    await app.tell('checkout.session.async_payment_failed', asItWas);
    await app.tell('checkout.session.expired', { ...asItWas, status: 'expired' });
    expect(await stateOf(session)).toEqual({ payments: ['succeeded'], orders: ['PAID'] });
  });

  it('let the buyer try again after a debit that was processing and then failed', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    const debit = standIn.pay(page, 'processing');
    await app.tell('checkout.session.completed', debit);
    expect(await stateOf(session)).toEqual({ payments: ['pending'], orders: [] });
    await app.tell('checkout.session.async_payment_failed', debit);
    expect(await stateOf(session)).toEqual({ payments: ['failed'], orders: [] });
    expect((await payFor(app.runtime, session, null)).kind).toBe('step');
    expect((await stateOf(session)).payments).toEqual(['failed', 'requires_confirmation']);
  });

  it('fail the payment for an expired session', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    await app.tell('checkout.session.expired', standIn.expire(page));
    expect(await paymentsOf(app.runtime, session)).toMatchObject([
      { status: 'failed', decline_code: 'cancelled' },
    ]);
  });

  it('complete or reopen the refund that was requested here', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    await app.tell('checkout.session.completed', standIn.pay(page));
    const [payment] = await paymentsOf(app.runtime, session);
    const refunded = standIn.charge(page);
    const refund = {
      id: 're_1',
      object: 'refund',
      amount: 485_000,
      currency: 'usd',
      status: 'failed',
      metadata: { payment_id: payment?.id },
    };
    await takeBack(app.runtime, payment?.order_id ?? '');
    expect((await stateOf(session)).payments).toEqual(['refund_pending']);
    await app.tell('refund.failed', refund);
    expect((await stateOf(session)).payments).toEqual(['refund_pending']);
    await app.tell('charge.refunded', refunded);
    await app.tell('charge.refunded', refunded);
    expect(await stateOf(session)).toEqual({ payments: ['refunded'], orders: ['REFUNDED'] });
    // The buyer's bank returned the refund, so it is requested again.
    await app.tell('refund.failed', refund);
    expect((await stateOf(session)).payments).toEqual(['refund_pending']);
    await app.tell('charge.refunded', refunded);
    expect((await stateOf(session)).payments).toEqual(['refunded']);
  });

  it('change nothing for another session, a sandbox payment, or an unknown payment', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    const paid = structuredClone(standIn.pay(page)) as StandInSession;
    await app.tell('checkout.session.completed', { ...paid, id: 'cs_test_other' });
    await app.tell('checkout.session.completed', { ...paid, client_reference_id: 'order-17' });
    expect(await stateOf(session)).toEqual({ payments: ['requires_confirmation'], orders: [] });

    const sandbox = await givenSession(app.runtime);
    await payFor(app.runtime, sandbox, card(CARDS.confirms));
    const [payment] = await paymentsOf(app.runtime, sandbox);
    await app.tell('checkout.session.completed', {
      ...paid,
      id: payment?.provider_reference,
      client_reference_id: payment?.id,
      metadata: { payment_id: payment?.id },
    });
    expect((await stateOf(sandbox)).payments).toEqual(['requires_confirmation']);
  });
});

describe('money that arrives after its buyer was erased', () => {
  it('is refunded and stays in the books, and nothing of the buyer comes back', async () => {
    const { runtime } = app;
    const buyer = { email: 'late.buyer@example.com', name: 'Lena Later' };
    const { session, page } = await app.givenBuyerAtStripe(buyer);
    await app.tell('checkout.session.expired', standIn.expire(page));
    runtime.clock.advance(8 * DAY);
    await expireCheckoutSessions(runtime, 100);
    expect(await wholeDatabase(runtime)).toContain(buyer.email);
    runtime.clock.advance(8 * DAY);
    await eraseBuyersTask.run({ runtime, signal: new AbortController().signal });
    const paid = { ...standIn.pay(page), customer_details: buyer, customer_email: buyer.email };
    for (let n = 0; n < 2; n += 1) await app.tell('checkout.session.completed', paid);
    expect(await stateOf(session)).toEqual({ payments: ['refund_pending'], orders: [] });

    const fleet = startWorkers(runtime, { queues: ['payments'] });
    try {
      await eventually(
        () => paymentsOf(runtime, session),
        ([payment]) => payment?.status === 'refunded',
      );
    } finally {
      await fleet.stop();
    }
    const { payment_intent } = standIn.sessions.get(page) ?? {};
    expect(standIn.refunds.filter((each) => each.payment_intent === payment_intent)).toMatchObject([
      { amount: session.price.amount, status: 'succeeded' },
    ]);
    expect((await checkLedger(runtime)).imbalances).toEqual([]);
    const database = await wholeDatabase(runtime);
    expect(database).toContain(session.id);
    for (const trace of [buyer.email, buyer.name]) expect(database).not.toContain(trace);
  });
});

describe('the Stripe webhook endpoint', () => {
  it('returns 400 in the error envelope without a valid, recent signature', async () => {
    const { session, page } = await app.givenBuyerAtStripe();
    const paid = standIn.pay(page);
    const { body, signature } = standIn.notification(
      'checkout.session.completed',
      paid,
      app.runtime.clock.now(),
    );
    const old = new Date(app.runtime.clock.now().getTime() - 6 * MINUTE);
    const stale = standIn.notification('checkout.session.completed', paid, old);
    const answers = [
      await app.notify(body.replace('usd', 'eur'), signature),
      await app.notify(body, ''),
      await app.notify(body, signature.replace(/v1=./, 'v1=x')),
      await app.notify('', signature),
      await app.notify(stale.body, stale.signature),
    ];
    for (const res of answers) {
      expect(res.status).toBe(400);
      expect(await res.json()).toMatchObject({
        error: { code: 'validation_error', request_id: expect.any(String) },
      });
    }
    expect(await stateOf(session)).toEqual({ payments: ['requires_confirmation'], orders: [] });
  });

  it('rejects signed bodies that are not events', async () => {
    const now = app.runtime.clock.now();
    for (const body of ['null', '7', '[]', '{}', '{"type":"charge.refunded","data":null}']) {
      const { status } = await app.notify(body, standIn.sign(body, now));
      expect([body, status]).toEqual([body, 400]);
    }
  });

  it('allows POST only, with a limited body size', async () => {
    const get = await fetch(`${app.url}/payments/stripe/webhook`);
    expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST']);
    expect((await app.notify('x'.repeat(600_000), 't=1,v1=x')).status).toBe(413);
  });

  it('returns 404 if Stripe is not configured', async () => {
    const other = await startTestApp();
    const { body, signature } = standIn.notification('customer.created', {}, new Date());
    const res = await fetch(`${other.url}/payments/stripe/webhook`, {
      method: 'POST',
      headers: { 'Stripe-Signature': signature },
      body,
    });
    expect(res.status).toBe(404);
    await other.stop();
  });
});
