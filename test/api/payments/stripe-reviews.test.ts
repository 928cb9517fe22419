import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { ordersOf, paymentsOf } from '../../support/payments.ts';
import { nameRegistrant } from '../../support/sales.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import type { StripeStandIn } from '../../support/stripe-stand-in.ts';

let app: StripeApp;
let standIn: StripeStandIn;
let ops: OpsClient;
beforeAll(async () => {
  app = await startStripeApp({ TRANSFER_POLICY_LIVE: 'automatic' });
  standIn = app.stripe;
  ops = await givenOps(app);
});
afterAll(() => app.stop());

/** A paid page that Radar put under review. No event has been sent yet. */
async function givenReviewedPage() {
  const { session, page } = await app.givenBuyerAtStripe();
  const paid = standIn.pay(page);
  standIn.review(page);
  const order = async () => {
    const [found] = await ordersOf(app.runtime, session);
    if (!found) throw new Error('there is no order');
    return found;
  };
  return { session, page, paid, order };
}

/** The same after the events: its order is held. */
async function givenHeldOrder() {
  const given = await givenReviewedPage();
  await app.tell('checkout.session.completed', given.paid);
  await app.tell('review.opened', standIn.review(given.page));
  return given;
}

const eventsOf = (orderId: string) =>
  app.runtime.db.knex('events').where({ subject: orderId }).orderBy('position').pluck('type');
const transferJobsOf = async (orderId: string) =>
  (await app.runtime.db.knex('outbox').select('payload')).filter(({ payload }) =>
    JSON.stringify(payload).includes(orderId),
  ).length;

describe('a payment under review in Stripe Radar', () => {
  it('holds its order until it is approved there, however often that is reported', async () => {
    const { page, order } = await givenHeldOrder();
    const held = await order();
    expect(held.status).toBe('MANUAL_REVIEW');
    await nameRegistrant(app.runtime, held.id);
    const before = await transferJobsOf(held.id);
    const { body } = await ops.get('/review-queue');
    expect(body.orders).toContainEqual(
      expect.objectContaining({ public_id: held.id, review_reasons: ['payment_review'] }),
    );
    const approved = standIn.review(page, 'approved');
    await app.tell('review.closed', approved);
    await app.tell('review.closed', approved);
    expect((await order()).status).toBe('PAID');
    expect(await transferJobsOf(held.id)).toBe(before + 1);
    expect(await eventsOf(held.id)).toEqual([
      'order.recorded',
      'order.action_required',
      'order.manual_review_cleared',
    ]);
  });

  it('does not hold the order if it was approved before any other event arrived', async () => {
    const { page, paid, order } = await givenReviewedPage();
    await app.tell('review.closed', standIn.review(page, 'approved'));
    const recorded = await order();
    expect(recorded.status).toBe('PAID');
    await app.tell('checkout.session.completed', paid);
    expect(await eventsOf(recorded.id)).toEqual(['order.recorded', 'order.action_required']);
  });

  it.each(['refunded', 'refunded_as_fraud'])(
    'cancels the order if it is %s there',
    async (reason) => {
      const { session, page, paid, order } = await givenHeldOrder();
      standIn.refunds.push({
        id: `re_review_${session.id}`,
        object: 'refund',
        amount: paid.amount_total,
        payment_intent: paid.payment_intent ?? '',
        status: 'succeeded',
        metadata: {},
      });
      await app.tell('charge.refunded', { ...standIn.charge(page), refunded: true });
      await app.tell('review.closed', standIn.review(page, reason));
      const cancelled = await order();
      expect(cancelled.status).toBe('CANCELLED');
      const [payment] = await paymentsOf(app.runtime, session);
      expect(['refund_pending', 'refunded']).toContain(payment?.status);
      expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
    },
  );

  it('can be decided by staff here, and later events from Stripe change nothing', async () => {
    const { page, order } = await givenHeldOrder();
    const { id } = await order();
    expect((await ops.post(`/orders/${id}/clear`)).body.status).toBe('PAID');
    await app.tell('review.closed', standIn.review(page, 'refunded'));
    expect((await order()).status).toBe('PAID');
  });

  it('keeps its order on hold if the review ends in a dispute', async () => {
    const { page, order } = await givenHeldOrder();
    await app.tell('review.closed', standIn.review(page, 'disputed'));
    expect((await order()).status).toBe('MANUAL_REVIEW');
  });
});
