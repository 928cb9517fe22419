import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { progressUrl } from '../../../shared/sales/brokerage/progress-link.ts';
import { applyPaymentReview } from '../../../shared/sales/checkout/apply-payment-review.ts';
import { applyPaymentState } from '../../../shared/sales/checkout/apply-payment-state.ts';
import { expireCheckoutSessions } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import { linkMailed } from '../../support/account-mail.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  givenSession,
  type SessionFixture,
  sendForm,
} from '../../support/checkout.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
let ops: OpsClient;
beforeAll(async () => {
  app = await startTestApp({
    MAIL: 'on',
    REVIEW_PRICE_CENTS: '450000',
    REVIEW_COUNTRIES: 'GB',
    REVIEW_ORDERS_PER_HOUR: '1',
  });
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

let ahead = 0;
const wait = (ms: number) => {
  app.runtime.clock.advance(ms);
  ahead += ms;
};
afterEach(() => wait(-ahead));

const rows = (table: string, where: object) => app.runtime.db.knex(table).where(where);
const ordersOf = (where: object) => rows('orders', where).select('id', 'status', 'review_reasons');
const stored = ({ id }: { id: string }) => rows('checkout_sessions', { id }).first();
const paymentsOf = ({ id }: { id: string }) => rows('payments', { checkout_session_id: id });
const payAs = (session: { url: string }, buyer: object = {}, card = CARDS.good) =>
  sendForm(session.url, 'pay', { ...buyerWith(card), ...buyer });
const decide = (how: 'clear' | 'decline', { id }: { id: string }) =>
  ops.post(`/checkout-reviews/${id}/${how}`);
const queued = async ({ id }: { id: string }) =>
  (await ops.get('/checkout-reviews')).body.sessions.find((each: { id: string }) => each.id === id);
const mailsOf = async ({ id }: { id: string }): Promise<{ id: string; kind: string }[]> =>
  app.runtime.db
    .knex('mails')
    .whereRaw("data ->> 'sessionId' = ?", id)
    .orderBy('id')
    .select('id', 'kind', 'recipient');

/** The page that the link in the buyer's email opens. */
async function linkIn(mail: { id: string } | undefined): Promise<string> {
  return app.url + (await linkMailed(app.runtime, mail?.id ?? ''));
}

async function given(
  more: { priceCents?: number; environment?: 'LIVE' } = {},
  client?: SignedClient,
) {
  const { environment = 'SANDBOX' as const, priceCents = 449_999 } = more;
  const by = client ?? (await app.partner({ environment })).client;
  const session = await givenSession(app, by, { environment, priceCents });
  return { ...session, client: by };
}

const BY_COUNTRY = { country: 'GB' };

/** A purchase held because of the buyer's country. */
async function givenHeld(): Promise<SessionFixture & { client: SignedClient }> {
  const session = await given();
  await payAs(session, BY_COUNTRY);
  return session;
}

describe('a checkout purchase under the review rules', () => {
  it.each([
    ['price', { priceCents: 450_000 }, {}],
    ['country', {}, BY_COUNTRY],
  ])('is held by the %s rule before anything is charged', async (rule, more, buyer) => {
    const session = await given(more);
    const sent = await payAs(session, buyer);
    expect(sent.status).toBe(303);
    const page = await fetchPage(session.url);
    expect(page.status).toBe(200);
    expect(page.text).toContain('reviewing this purchase');
    expect(page.text).toContain('You have not been charged.');
    await payAs(session, buyer);
    expect(await paymentsOf(session)).toEqual([]);
    expect(await ordersOf({ checkout_session_id: session.id })).toEqual([]);
    const { body } = await session.client.get(`/v1/checkout-session/${session.id}`);
    expect(body).toMatchObject({ status: 'open', order_id: null });
    expect(await queued(session)).toMatchObject({ review_reasons: [rule], domain: session.domain });
    const rival = await app.partner();
    const taken = await rival.client.post('/v1/quotes', { body: { domain: session.domain } });
    expect(taken.body.error.details.reason).toBe('domain_reserved');
  });

  it('is held when the partner sells too fast', async () => {
    const first = await given({ environment: 'LIVE' });
    await payAs(first);
    const second = await given({ environment: 'LIVE' }, first.client);
    await payAs(second);
    expect(await ordersOf({ checkout_session_id: first.id })).toMatchObject([{ status: 'PAID' }]);
    expect(await paymentsOf(second)).toEqual([]);
    expect(await queued(second)).toMatchObject({ review_reasons: ['velocity'] });
  });

  it('is paid at once if no rule matches', async () => {
    const session = await given();
    await payAs(session);
    expect(await ordersOf({ checkout_session_id: session.id })).toMatchObject([
      { status: 'PAID', review_reasons: [] },
    ]);
  });

  it('can be paid for a day at the same price once it is approved, with the link in the email', async () => {
    const session = await givenHeld();
    wait(60 * HOUR);
    ops = await givenOps(app);
    expect((await decide('clear', session)).status).toBe(200);
    expect(await queued(session)).toBeUndefined();
    const [mail, ...others] = await mailsOf(session);
    expect([mail?.kind, others]).toEqual(['checkout-ready', []]);
    await rows('listings', { domain: session.domain }).update({ price_cents: 400_000 });
    wait(DAY - MINUTE);
    const url = await linkIn(mail);
    await payAs({ url }, BY_COUNTRY, CARDS.declined);
    expect((await fetchPage(url)).text).toContain('Pay $4,499.99');
    await payAs({ url }, BY_COUNTRY);
    expect(await ordersOf({ checkout_session_id: session.id })).toMatchObject([
      { status: 'PAID', review_reasons: [] },
    ]);
    expect(await paymentsOf(session)).toHaveLength(2);
  });

  it('can be paid with the first link after approval, until the session expires', async () => {
    const session = await given();
    wait(6 * DAY);
    await payAs(session, BY_COUNTRY);
    wait(DAY - HOUR);
    ops = await givenOps(app);
    await decide('clear', session);
    wait(DAY - MINUTE);
    const form = await fetchPage(session.url);
    expect(form.text).toContain('Pay $4,499.99');
    wait(5 * MINUTE);
    const late = { ...buyerWith(CARDS.good), ...BY_COUNTRY };
    expect((await sendForm(session.url, 'pay', late, form)).status).toBe(303);
    const over = await fetchPage(session.url);
    expect([over.status, over.text]).toEqual([410, expect.stringContaining('It expired on')]);
    expect(await paymentsOf(session)).toEqual([]);
    wait(-5 * MINUTE);
    await sendForm(session.url, 'pay', late, form);
    expect(await ordersOf({ checkout_session_id: session.id })).toMatchObject([{ status: 'PAID' }]);
  });

  it.each([
    ['country', { country: 'GB' }, ['price', 'country']],
    ['buyer', { email: 'other@example.com' }, ['price']],
  ])(
    'is held again after approval if the buyer enters another %s',
    async (_what, buyer, reasons) => {
      const session = await given({ priceCents: 450_000 });
      await payAs(session);
      await decide('clear', session);
      await payAs(session, buyer);
      expect(await paymentsOf(session)).toEqual([]);
      expect(await queued(session)).toMatchObject({ review_reasons: reasons });
    },
  );

  it('is paid with the details approved last if it was approved twice', async () => {
    const session = await given({ priceCents: 450_000 });
    await payAs(session);
    await decide('clear', session);
    await payAs(session, BY_COUNTRY);
    expect(await queued(session)).toMatchObject({ review_reasons: ['price', 'country'] });
    expect(await paymentsOf(session)).toEqual([]);
    await decide('clear', session);
    expect((await mailsOf(session)).map(({ kind }) => kind)).toEqual([
      'checkout-ready',
      'checkout-ready',
    ]);
    await payAs(session, BY_COUNTRY);
    expect(await ordersOf({ checkout_session_id: session.id })).toMatchObject([{ status: 'PAID' }]);
  });

  it('ends when it is declined: nothing is charged, the domain is released, the buyer is told', async () => {
    const session = await givenHeld();
    const page = await fetchPage(session.url);
    expect((await decide('decline', session)).status).toBe(200);
    await sendForm(session.url, 'pay', { ...buyerWith(CARDS.good), ...BY_COUNTRY }, page);
    const after = await fetchPage(session.url);
    expect(after.status).toBe(410);
    expect(after.text).toContain('We could not approve this purchase');
    await sendForm(session.url, 'reopen', {}, page);
    expect(await stored(session)).toMatchObject({ status: 'cancelled' });
    expect(await paymentsOf(session)).toEqual([]);
    expect(await mailsOf(session)).toMatchObject([
      { kind: 'checkout-ended', recipient: 'buyer@example.com' },
    ]);
    const rival = await app.partner();
    await rival.client.post('/v1/quotes', { body: { domain: session.domain } }).expect(201);
    expect((await decide('clear', session)).status).toBe(409);
  });

  it('expires when nobody decides within 72 hours', async () => {
    const session = await givenHeld();
    wait(72 * HOUR - MINUTE);
    await expireCheckoutSessions(app.runtime, 1_000);
    expect(await stored(session)).toMatchObject({ status: 'open' });
    wait(2 * MINUTE);
    ops = await givenOps(app);
    expect((await decide('clear', session)).status).toBe(409);
    await expireCheckoutSessions(app.runtime, 1_000);
    await expireCheckoutSessions(app.runtime, 1_000);
    expect(await stored(session)).toMatchObject({ status: 'expired' });
    expect((await fetchPage(session.url)).status).toBe(410);
    expect(await mailsOf(session)).toMatchObject([{ kind: 'checkout-ended' }]);
    expect(await rows('quotes', { checkout_session_id: session.id, state: 'open' })).toEqual([]);
  });

  it('is decided once under concurrent requests, and never charged while it waits', async () => {
    const session = await givenHeld();
    const page = await fetchPage(session.url);
    const answers = await Promise.all([
      decide('clear', session),
      decide('decline', session),
      decide('clear', session),
      sendForm(session.url, 'pay', { ...buyerWith(CARDS.good), ...BY_COUNTRY }, page),
    ]);
    const decided = answers.slice(0, 3).map(({ status }) => status);
    expect(decided.toSorted()).toEqual([200, 409, 409]);
    expect(await mailsOf(session)).toHaveLength(1);
    const { status } = await stored(session);
    const charged = await paymentsOf(session);
    if (status === 'cancelled') expect(charged).toEqual([]);
    else expect(['open', 'paid']).toContain(status);
  });

  it('leaves the queue if the buyer cancels, and is held again when they continue', async () => {
    const session = await givenHeld();
    await sendForm(session.url, 'cancel');
    expect(await queued(session)).toBeUndefined();
    expect((await decide('clear', session)).status).toBe(409);
    await sendForm(session.url, 'reopen');
    expect((await fetchPage(session.url)).text).toContain('Pay $4,499.99');
    await payAs(session, BY_COUNTRY);
    expect(await paymentsOf(session)).toEqual([]);
    expect(await queued(session)).toMatchObject({ review_reasons: ['country'] });
  });

  it('can be decided only by operators, not by support', async () => {
    const session = await givenHeld();
    const support = await givenOps(app, 'support');
    for (const how of ['clear', 'decline']) {
      const answer = await support.post(`/checkout-reviews/${session.id}/${how}`);
      expect(answer.status).toBe(403);
    }
    expect((await ops.post('/checkout-reviews/cks_unknown/clear')).status).toBe(404);
  });
});

describe('payment of a brokered deal under the review rules', () => {
  /** A deal with an agreed price. `open` opens its payment page. */
  async function givenAgreed(priceCents: number) {
    const owner = await app.partner();
    const { id } = await givenCase(app.runtime, owner);
    for (const to of ['CONTACTING_OWNER', 'NEGOTIATING'] as const) {
      const offerCents = to === 'NEGOTIATING' ? priceCents : undefined;
      await app.runtime.db.transact((uow) =>
        moveCase(uow, app.runtime, { caseId: id, to, by: 'ops', offerCents }),
      );
    }
    const link = new URL(await progressUrl(app.runtime, id));
    const at = (action: string) => `${app.url}${link.pathname}${action}${link.search}`;
    const post = (action: string, form: Record<string, string> = {}) =>
      fetch(at(action), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    await post('/accept', { offer: String(priceCents) });
    const open = async () => {
      const url = app.url + (await post('/pay')).headers.get('Location');
      return { id: new URL(url).pathname.split('/').at(-1) ?? '', url };
    };
    const page = async () => (await fetch(at(''))).text();
    return { id, open, post, page };
  }

  it('is held before anything is charged, and completes the deal after approval', async () => {
    const { id, open } = await givenAgreed(450_000);
    const session = await open();
    await payAs(session);
    expect(await paymentsOf(session)).toEqual([]);
    expect(await rows('brokerage_cases', { id }).first()).toMatchObject({ status: 'AGREED' });
    expect(await queued(session)).toMatchObject({ review_reasons: ['price'] });
    await decide('clear', session);
    await payAs({ url: await linkIn((await mailsOf(session))[0]) });
    expect(await rows('brokerage_cases', { id }).first()).toMatchObject({ status: 'COMPLETED' });
    expect(await ordersOf({ brokerage_case_id: id })).toMatchObject([
      { status: 'PAID', review_reasons: [] },
    ]);
  });

  it('is not offered on the buyer’s page during the review, nor after it was declined', async () => {
    const { id, open, post, page } = await givenAgreed(440_000);
    expect(await page()).toContain('Pay $4,400.00');
    const session = await open();
    await payAs(session, BY_COUNTRY);
    const waiting = await page();
    expect(waiting).toContain('We are reviewing your purchase');
    expect(waiting).not.toContain('Pay $');
    await decide('decline', session);
    const declined = await page();
    expect(declined).toContain('We could not approve your purchase');
    expect(declined).not.toContain('Pay $');
    expect((await post('/pay')).status).toBe(409);
    expect(await rows('checkout_sessions', { brokerage_case_id: id })).toHaveLength(1);
    // Staff can still complete the deal.
    const deal = { caseId: id, to: 'COMPLETED', by: 'ops', dealPriceCents: 440_000 } as const;
    await app.runtime.db.transact((uow) => moveCase(uow, app.runtime, deal));
    expect(await ordersOf({ brokerage_case_id: id })).toHaveLength(1);
  });

  it('is offered again once it was approved', async () => {
    const { open, page } = await givenAgreed(450_000);
    const session = await open();
    await payAs(session);
    await decide('clear', session);
    expect(await page()).toContain('Pay $4,500.00');
    expect((await open()).id).toBe(session.id);
  });

  it('cannot be approved once the deal has ended, and its page says so', async () => {
    const { id, open } = await givenAgreed(450_000);
    const session = await open();
    await payAs(session);
    await app.runtime.db.transact((uow) =>
      moveCase(uow, app.runtime, { caseId: id, to: 'CLOSED_NO_DEAL', by: 'ops' }),
    );
    const page = await fetchPage(session.url);
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('The deal has ended')]);
    const refused = await ops.post(`/checkout-reviews/${session.id}/clear`);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'The deal is CLOSED_NO_DEAL: decline the purchase.',
    ]);
    expect(await mailsOf(session)).toEqual([]);
    await decide('decline', session);
  });

  it('holds the order afterwards if staff took it, and starts the transfer once cleared', async () => {
    const { partnerId } = await app.partner();
    const { id } = await givenCase(app.runtime, { partnerId, environment: 'SANDBOX' });
    await bringTo(app.runtime, id, 'COMPLETED');
    const [held] = await ordersOf({ brokerage_case_id: id });
    expect(held).toMatchObject({ status: 'MANUAL_REVIEW', review_reasons: ['price'] });
    const jobs = () =>
      app.runtime.db.knex('outbox').whereRaw("payload ->> 'orderId' = ?", held.id).pluck('name');
    expect(await jobs()).toEqual([]);
    await ops.post(`/orders/${held.id}/clear`);
    expect(await jobs()).toHaveLength(1);
  });
});

describe('a review rule that first matches while the payment is in progress', () => {
  /** A payment that waits for the bank while the partner sells something else. */
  async function givenOvertaken() {
    const session = await given({ environment: 'LIVE' });
    await payAs(session, {}, CARDS.asks);
    await payAs(await given({ environment: 'LIVE' }, session.client));
    return session;
  }

  it('holds the order until it is cleared', async () => {
    const session = await givenOvertaken();
    await sendForm(session.url, 'confirm', { answer: 'approve' });
    const [held] = await ordersOf({ checkout_session_id: session.id });
    expect(held).toMatchObject({ status: 'MANUAL_REVIEW', review_reasons: ['velocity'] });
    const cleared = await ops.post(`/orders/${held.id}/clear`);
    expect(cleared.body).toMatchObject({ status: 'PAID' });
  });

  it('still holds the order after the payment review is approved', async () => {
    const session = await givenOvertaken();
    const [payment] = await paymentsOf(session);
    await applyPaymentState(app.runtime, payment.id, {
      status: 'succeeded',
      reference: payment.provider_reference,
      inReview: true,
    });
    await applyPaymentReview(app.runtime, payment.id, 'approved');
    expect(await ordersOf({ checkout_session_id: session.id })).toMatchObject([
      { status: 'MANUAL_REVIEW', review_reasons: ['velocity', 'payment_review'] },
    ]);
  });
});
