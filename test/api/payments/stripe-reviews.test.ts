import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { givenSession, ordersOf, payFor, paymentsOf } from '../../support/payments.ts';
import {
  type StripeStandIn,
  startStripeStandIn,
  stripeEnv,
} from '../../support/stripe-stand-in.ts';

let app: TestApp;
let standIn: StripeStandIn;
let ops: OpsClient;
beforeAll(async () => {
  standIn = await startStripeStandIn(() => app.runtime.clock.now());
  app = await startTestApp({ ...stripeEnv(standIn), TRANSFER_POLICY_LIVE: 'automatic' });
  ops = await givenOps(app);
});
afterAll(async () => {
  await app.stop();
  await standIn.stop();
});

async function tell(type: string, object: object): Promise<void> {
  const { body, signature } = standIn.notification(type, object, app.runtime.clock.now());
  const res = await fetch(`${app.url}/payments/stripe/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    body,
  });
  expect(res.status).toBe(200);
}

/** A page that was paid, and that Radar wants somebody to look at; nothing was told yet. */
async function givenReviewedPage() {
  const session = await givenSession(app.runtime, 'LIVE');
  const outcome = await payFor(app.runtime, session, null);
  const page = outcome.kind === 'step' ? (outcome.step.reference ?? '') : '';
  const paid = standIn.pay(page);
  standIn.review(page);
  const order = async () => {
    const [found] = await ordersOf(app.runtime, session);
    if (!found) throw new Error('there is no order');
    return found;
  };
  return { session, page, paid, order };
}

/** The same, told: its order is held. */
async function givenHeldOrder() {
  const given = await givenReviewedPage();
  await tell('checkout.session.completed', given.paid);
  await tell('review.opened', standIn.review(given.page));
  return given;
}

const eventsOf = (orderId: string) =>
  app.runtime.db.knex('events').where({ subject: orderId }).orderBy('position').pluck('type');
const transferJobsOf = async (orderId: string) =>
  (await app.runtime.db.knex('outbox').select('payload')).filter(({ payload }) =>
    JSON.stringify(payload).includes(orderId),
  ).length;

describe('a payment that Radar puts under review', () => {
  it('holds its order until it is approved there, however often that is told', async () => {
    const { page, order } = await givenHeldOrder();
    const held = await order();
    expect(held.status).toBe('MANUAL_REVIEW');
    const before = await transferJobsOf(held.id);
    const { body } = await ops.get('/review-queue');
    expect(body.orders).toContainEqual(
      expect.objectContaining({ public_id: held.id, review_reasons: ['payment_review'] }),
    );
    const approved = standIn.review(page, 'approved');
    await tell('review.closed', approved);
    await tell('review.closed', approved);
    expect((await order()).status).toBe('PAID');
    expect(await transferJobsOf(held.id)).toBe(before + 1);
    expect(await eventsOf(held.id)).toEqual(['order.recorded', 'order.manual_review_cleared']);
  });

  it('is not held when it was approved before anything else was heard', async () => {
    const { page, paid, order } = await givenReviewedPage();
    await tell('review.closed', standIn.review(page, 'approved'));
    const recorded = await order();
    expect(recorded.status).toBe('PAID');
    await tell('checkout.session.completed', paid);
    expect(await eventsOf(recorded.id)).toEqual(['order.recorded']);
  });

  it.each(['refunded', 'refunded_as_fraud'])('is cancelled when it is %s there', async (reason) => {
    const { session, page, paid, order } = await givenHeldOrder();
    standIn.refunds.push({
      id: `re_review_${session.id}`,
      object: 'refund',
      amount: paid.amount_total,
      payment_intent: paid.payment_intent ?? '',
      status: 'succeeded',
      metadata: {},
    });
    await tell('charge.refunded', { ...standIn.charge(page), refunded: true });
    await tell('review.closed', standIn.review(page, reason));
    const cancelled = await order();
    expect(cancelled.status).toBe('CANCELLED');
    const [payment] = await paymentsOf(app.runtime, session);
    expect(['refund_pending', 'refunded']).toContain(payment?.status);
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('can be decided here by staff, and what Stripe says afterwards changes nothing', async () => {
    const { page, order } = await givenHeldOrder();
    const { id } = await order();
    expect((await ops.post(`/orders/${id}/clear`)).body.status).toBe('PAID');
    await tell('review.closed', standIn.review(page, 'refunded'));
    expect((await order()).status).toBe('PAID');
  });

  it('stays held when the review ends in a dispute', async () => {
    const { page, order } = await givenHeldOrder();
    await tell('review.closed', standIn.review(page, 'disputed'));
    expect((await order()).status).toBe('MANUAL_REVIEW');
  });
});
