import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyPaymentReview } from '../../../shared/sales/checkout/apply-payment-review.ts';
import { applyPaymentState } from '../../../shared/sales/checkout/apply-payment-state.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';
import { buyerWith, CARDS, givenSession, sendForm } from '../../support/checkout.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';

let app: TestApp;
let ops: OpsClient;
beforeAll(async () => {
  app = await startTestApp({
    REVIEW_PRICE_CENTS: '450000',
    REVIEW_COUNTRIES: 'GB',
    REVIEW_ORDERS_PER_HOUR: '1',
  });
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

const orders = (where: object) =>
  app.runtime.db.knex('orders').where(where).select('id', 'status', 'review_reasons');

async function givenPaid(more: { priceCents?: number; country?: string } = {}) {
  const { client } = await app.partner();
  const session = await givenSession(app, client, { priceCents: more.priceCents ?? 449_999 });
  const { country = 'DE' } = more;
  await sendForm(session.url, 'pay', { ...buyerWith(CARDS.good), country });
  const [order] = await orders({ checkout_session_id: session.id });
  return order;
}

describe('the rules of review', () => {
  it.each([
    ['price', { priceCents: 450_000 }],
    ['country', { country: 'UK' }],
  ])(
    'hold a sale on our page by %s, whose transfer starts once it is cleared',
    async (rule, more) => {
      const held = await givenPaid(more);
      expect(held).toMatchObject({ status: 'MANUAL_REVIEW', review_reasons: [rule] });
      const jobs = () =>
        app.runtime.db.knex('outbox').whereRaw("payload ->> 'orderId' = ?", held.id).pluck('name');
      expect(await jobs()).toEqual([]);
      const cleared = await ops.post(`/orders/${held.id}/clear`);
      expect(cleared.body).toMatchObject({ status: 'PAID' });
      expect(await jobs()).toHaveLength(1);
    },
  );

  it('let through what none of them is about', async () => {
    expect(await givenPaid()).toMatchObject({ status: 'PAID', review_reasons: [] });
  });

  it('watch how fast a partner sells, on our pages too', async () => {
    const { client } = await app.partner({ environment: 'LIVE' });
    const live = { environment: 'LIVE' as const, priceCents: 10_000 };
    const statuses = [];
    for (let sale = 0; sale < 2; sale += 1) {
      const session = await givenSession(app, client, live);
      await sendForm(session.url, 'pay', buyerWith(CARDS.good));
      const [order] = await orders({ checkout_session_id: session.id });
      statuses.push([order.status, order.review_reasons]);
    }
    expect(statuses).toEqual([
      ['PAID', []],
      ['MANUAL_REVIEW', ['velocity']],
    ]);
  });

  it('hold a brokered deal', async () => {
    const { partnerId } = await app.partner();
    const { id } = await givenCase(app.runtime, { partnerId, environment: 'SANDBOX' });
    await bringTo(app.runtime, id, 'COMPLETED');
    expect(await orders({ brokerage_case_id: id })).toMatchObject([
      { status: 'MANUAL_REVIEW', review_reasons: ['price'] },
    ]);
  });

  it('outlast a review of the payment that ends well', async () => {
    const { client } = await app.partner();
    const session = await givenSession(app, client, { priceCents: 450_000 });
    await sendForm(session.url, 'pay', buyerWith(CARDS.asks));
    const payment = await app.runtime.db
      .knex('payments')
      .where({ checkout_session_id: session.id })
      .first();
    await applyPaymentState(app.runtime, payment.id, {
      status: 'succeeded',
      reference: payment.provider_reference,
      inReview: true,
    });
    await applyPaymentReview(app.runtime, payment.id, 'approved');
    expect(await orders({ checkout_session_id: session.id })).toMatchObject([
      { status: 'MANUAL_REVIEW', review_reasons: ['price', 'payment_review'] },
    ]);
  });
});
