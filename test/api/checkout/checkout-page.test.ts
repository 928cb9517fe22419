import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  givenSession,
  ordersOf,
  type SessionFixture,
  sendForm,
} from '../../support/checkout.ts';
import { sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';

describe('the checkout page', () => {
  let app: TestApp;
  let client: SignedClient;
  beforeAll(async () => {
    app = await startTestApp();
    ({ client } = await app.partner());
  });
  afterEach(() => app.runtime.clock.reset());
  afterAll(() => app.stop());

  const wait = (ms: number) => app.runtime.clock.advance(ms);
  const listingOf = (session: SessionFixture) =>
    app.runtime.db.knex('listings').where({ domain: session.domain });
  const paymentsOf = (session: SessionFixture) =>
    app.runtime.db.knex('payments').where({ checkout_session_id: session.id });
  const available = async (session: SessionFixture, who = client) =>
    (await who.get('/v1/availability', { query: { domain: session.domain } }).expect(200)).body
      .available;
  const expectNothingBought = async (session: SessionFixture) => {
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect(await paymentsOf(session)).toEqual([]);
  };

  it('sells the domain: one PAID order, a receipt, and the listing is sold', async () => {
    const session = await givenSession(app, client);
    const sent = await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    expect(sent.status).toBe(303);
    const receipt = await fetchPage(new URL(sent.location, session.url).href);
    const [order] = await ordersOf(app, session.id);
    expect(order).toMatchObject({
      status: 'PAID',
      payment_model: 'hosted_checkout',
      sale_price_cents: 485_000,
      commission_cents: 72_750,
      amount_owed_cents: 0,
      buyer_email: 'buyer@example.com',
    });
    expect(receipt.status).toBe(200);
    expect(receipt.text).toContain(order?.id);
    expect(receipt.text).toContain(
      `https://partner.example/thanks?cart=1&amp;session_id=${session.id}&amp;status=paid`,
    );
    expect(await listingOf(session).first('status')).toEqual({ status: 'sold' });
    const seen = (await client.get(`/v1/orders/${order?.id}`).expect(200)).body;
    expect(seen.timeline).toMatchObject([{ status: 'PAID', event: 'order.recorded' }]);
    const { events } = (await client.get('/v1/events').expect(200)).body;
    expect(
      events.filter(
        (each: { data: { order?: { public_id: string } } }) =>
          each.data.order?.public_id === order?.id,
      ),
    ).toHaveLength(1);
  });

  it('charges nothing for a premium domain until the buyer confirms its renewal price', async () => {
    const session = await givenSession(app, client, { domain: `premium-${Date.now()}.com` });
    expect((await fetchPage(session.url)).text).toContain('asks $500.00 a year to renew it');
    const unsaid = await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    expect(unsaid.status).toBe(422);
    expect(unsaid.text).toContain('Confirm that the registry asks $500.00 a year.');
    expect(unsaid.text).not.toMatch(/name="premium"[^>]* checked/);
    await expectNothingBought(session);
    // The registry's price was different when the page was shown.
    const dearer = await sendForm(session.url, 'pay', {
      ...buyerWith(CARDS.good),
      premium: '40000 USD',
    });
    expect(dearer.status).toBe(422);
    expect(dearer.text).not.toMatch(/name="premium"[^>]* checked/);
    await expectNothingBought(session);
    const buyer = { ...buyerWith(CARDS.good), premium: '50000 USD' };
    for (const fault of [{ name: '' }, { cvc: '' }, { email: 'nobody' }]) {
      const again = await sendForm(session.url, 'pay', { ...buyer, ...fault });
      expect([again.status, again.text]).toEqual([
        422,
        expect.stringMatching(/name="premium"[^>]* checked/),
      ]);
    }
    const said = await sendForm(session.url, 'pay', buyer);
    expect(said.status).toBe(303);
    expect(await ordersOf(app, session.id)).toMatchObject([{ status: 'PAID' }]);
  });

  it('creates an order that can be transferred, completed and settled', async () => {
    const session = await givenSession(app, client);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const [order] = await ordersOf(app, session.id);
    for (const to of ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']) {
      const path = `/v1/sandbox/orders/${order?.id}/advance`;
      const moved = await client.post(path, { body: { to } }).expect(200);
      expect(moved.body.status).toBe(to);
    }
    const { settlements } = (await client.get('/v1/settlements').expect(200)).body;
    const closed = settlements.find((each: { status: string }) => each.status === 'closed');
    expect(closed).toMatchObject({ orders_count: 1, amount_owed_cents: 0 });
    const { payouts } = (await client.get('/v1/payouts').expect(200)).body;
    expect(payouts).toMatchObject([{ source: 'hosted_checkout', amount_cents: 72_750 }]);
  });

  it('sells once, however often and concurrently the form is sent', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    const again = () => sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    const answers = await Promise.all(Array.from({ length: 8 }, again));
    answers.push(await again());
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 303));
    expect(await ordersOf(app, session.id)).toHaveLength(1);
    expect(await paymentsOf(session)).toHaveLength(1);
  });

  it('sells a domain once when buyers in two sessions pay at the same time', async () => {
    const one = await givenSession(app, client);
    const other = await app.partner();
    const { body } = await other.client
      .post('/v1/checkout-session', { body: { domain: one.domain } })
      .expect(201);
    const { pathname, search } = new URL(body.checkout_url);
    const urls = [one.url, app.url + pathname + search];
    await Promise.all(urls.map((url) => sendForm(url, 'pay', buyerWith(CARDS.good))));
    const orders = [...(await ordersOf(app, one.id)), ...(await ordersOf(app, body.id))];
    expect(orders).toHaveLength(1);
    const taken = await app.runtime.db
      .knex('payments')
      .whereIn('checkout_session_id', [one.id, body.id])
      .where({ status: 'succeeded' });
    expect(taken).toHaveLength(1);
    const pages = await Promise.all(urls.map((url) => fetchPage(url)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect(pages.find(({ status }) => status === 410)?.text).toContain('no longer for sale');
  });

  it('holds the domain while a buyer confirms the payment, and releases it if they decline', async () => {
    const session = await givenSession(app, client);
    const other = await app.partner();
    await sendForm(session.url, 'pay', buyerWith(CARDS.asks));
    expect([await available(session), await available(session, other.client)]).toEqual([
      false,
      false,
    ]);
    for (const who of [client, other.client]) {
      const answer = await sell(who, session);
      expect(answer.body.error.details).toEqual({ reason: 'domain_reserved' });
    }
    const second = await other.client
      .post('/v1/checkout-session', { body: { domain: session.domain } })
      .expect(201);
    const { pathname, search } = new URL(second.body.checkout_url);
    const busy = await fetchPage(app.url + pathname + search);
    expect([busy.status, busy.headers.get('Retry-After')]).toEqual([409, '60']);
    expect(busy.text).toContain('Someone else is buying');

    await sendForm(session.url, 'confirm', { answer: 'refuse' });
    expect(await available(session, other.client)).toBe(true);
    expect((await fetchPage(session.url)).text).toContain('The payment was not confirmed');
    expect(await ordersOf(app, session.id)).toEqual([]);
  });

  it('charges nothing if the domain was sold to someone else before the confirmation', async () => {
    const session = await givenSession(app, client);
    const page = await sendForm(session.url, 'pay', buyerWith(CARDS.asks));
    const confirm = await fetchPage(new URL(page.location, session.url).href);
    wait(HOUR);
    await sell((await app.partner()).client, session).expect(201);
    await sendForm(session.url, 'confirm', { answer: 'approve' }, confirm);
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect(await paymentsOf(session).first('status')).toEqual({ status: 'failed' });
    expect((await fetchPage(session.url)).status).toBe(410);
  });

  it('says that the domain was sold before charging anything', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    await sell(client, session).expect(201);
    const sent = await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    const shown = await fetchPage(new URL(sent.location, session.url).href);
    expect(shown.status).toBe(410);
    expect(shown.text).toContain('no longer for sale');
    await expectNothingBought(session);
  });

  it('keeps the price for a day, then asks the buyer to confirm the current price', async () => {
    const session = await givenSession(app, client);
    await listingOf(session).update({ price_cents: 520_000 });
    const early = await fetchPage(session.url);
    expect(early.text).toContain('Pay $4,850.00');
    wait(DAY + HOUR);
    const late = await sendForm(session.url, 'pay', buyerWith(CARDS.good), early);
    expect(late.status).toBe(409);
    expect(late.text).toContain('The price is now $5,200.00');
    expect(late.text).toContain('value="buyer@example.com"');
    expect(late.text).not.toContain('4242 4242 4242 4242"');
    await expectNothingBought(session);
    expect(await available(session)).toBe(true);
    const paid = await sendForm(session.url, 'pay', buyerWith(CARDS.good), late);
    expect(paid.status).toBe(303);
    expect(await ordersOf(app, session.id)).toMatchObject([{ sale_price_cents: 520_000 }]);
  });

  it.each([
    [CARDS.declined, 'Your card was declined'],
    [CARDS.poor, 'Your card has insufficient funds.'],
  ])('shows that a card (%s) was declined, and accepts another card', async (card, text) => {
    const session = await givenSession(app, client);
    const sent = await sendForm(session.url, 'pay', buyerWith(card));
    expect(sent.status).toBe(303);
    const page = await fetchPage(session.url);
    expect(page.text).toContain(text);
    expect(page.text).toContain('value="A. Buyer"');
    expect(await available(session)).toBe(true);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    expect(await ordersOf(app, session.id)).toHaveLength(1);
  });

  it('counts down the partner’s hold on the domain, not the expiry of the link', async () => {
    const session = await givenSession(app, client);
    const none = await fetchPage(session.url);
    expect(none.text).not.toContain('role="timer"');
    expect(none.text).toContain('Link expires');
    const { body } = await client
      .post('/v1/quotes', { body: { domain: session.domain } })
      .expect(201);
    wait(MINUTE);
    const held = await fetchPage(session.url);
    const left = (Date.parse(body.expires_at) - app.runtime.clock.now().getTime()) / 1_000;
    expect(held.text).toMatch(
      new RegExp(`<dt>Held for you</dt><dd><span role="timer" data-left="${Math.ceil(left)}">`),
    );
    expect(left).toBeLessThan(10 * 60);
    wait(10 * MINUTE);
    expect((await fetchPage(session.url)).text).not.toContain('Held for you');
  });

  it('treats the country UK as GB', async () => {
    const session = await givenSession(app, client);
    await sendForm(session.url, 'pay', { ...buyerWith(CARDS.good), country: 'uk' });
    const [order] = await ordersOf(app, session.id);
    const row = await app.runtime.db.knex('orders').where({ id: order?.id }).first('buyer_country');
    expect(row.buyer_country).toBe('GB');
  });

  it('explains invalid fields, and escapes the input', async () => {
    const session = await givenSession(app, client);
    const answer = await sendForm(session.url, 'pay', {
      ...buyerWith('4242 4242 4242 4243'),
      name: '"><script>alert(1)</script>',
      email: 'nobody',
      country: 'XX',
      expiry: '13/30',
      cvc: '1',
    });
    expect(answer.status).toBe(422);
    for (const text of [
      'has a typo',
      'name@example.com',
      'Choose your country',
      '04/29',
      '3 or 4 digits',
    ]) {
      expect(answer.text).toContain(text);
    }
    expect(answer.text).toContain('value="&quot;&gt;&lt;script&gt;');
    expect(answer.text).not.toContain('4243');
    await expectNothingBought(session);
  });

  it('lets the buyer cancel, redirects to the partner, and takes no payment afterwards', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    expect(page.headers.get('Content-Security-Policy')).toContain(
      `form-action 'self' https://partner.example;`,
    );
    const sent = await sendForm(session.url, 'cancel', {}, page);
    expect([sent.status, sent.location]).toEqual([
      303,
      `https://partner.example/cart?session_id=${session.id}&status=cancelled`,
    ]);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    expect((await fetchPage(session.url)).status).toBe(410);
    await expectNothingBought(session);
  });

  it('lets a buyer who canceled continue with the same link until it expires', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    await sendForm(session.url, 'cancel', {}, page);
    const cancelled = await fetchPage(session.url);
    expect(cancelled.text).toContain('Continue to payment');
    expect((await sendForm(session.url, 'reopen', {}, cancelled)).status).toBe(303);
    const again = await fetchPage(session.url);
    expect(again.status).toBe(200);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), again);
    expect(await ordersOf(app, session.id)).toHaveLength(1);
    await sendForm(session.url, 'reopen', {}, again);
    const { body } = await client.get(`/v1/checkout-session/${session.id}`).expect(200);
    expect(body.status).toBe('paid');

    const late = await givenSession(app, client);
    const first = await fetchPage(late.url);
    await sendForm(late.url, 'cancel', {}, first);
    const over = { expires_at: app.runtime.clock.now() };
    await app.runtime.db.knex('checkout_sessions').where({ id: late.id }).update(over);
    expect((await fetchPage(late.url)).text).not.toContain('Continue to payment');
    await sendForm(late.url, 'reopen', {}, first);
    const { body: ended } = await client.get(`/v1/checkout-session/${late.id}`).expect(200);
    expect(ended.status).not.toBe('open');
  });

  it('rejects the confirmation of a payment that was canceled in another tab', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    await sendForm(session.url, 'pay', buyerWith(CARDS.asks), page);
    await sendForm(session.url, 'cancel', {}, page);
    await sendForm(session.url, 'confirm', { answer: 'approve' }, page);
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect(await available(session)).toBe(true);
  });

  it('stores no card data in any table', async () => {
    const session = await givenSession(app, client);
    await sendForm(session.url, 'pay', { ...buyerWith(CARDS.declined), cvc: '9731' });
    await sendForm(session.url, 'pay', { ...buyerWith(CARDS.good), cvc: '9731' });
    const { knex } = app.runtime.db;
    const { rows: tables } = await knex.raw(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    // Four digits may also occur within an id, a UUID, a ciphertext or a fraction of a second.
    const cardData = /4242 ?4242 ?4242|4000 ?0000 ?0000 ?0002|(?<![\da-z.-])9731(?![\da-z-])/i;
    for (const { name } of tables) {
      const { rows } = await knex.raw(`select t::text as text from ?? t`, [name]);
      const found = rows.filter(({ text }: { text: string }) => cardData.test(text));
      expect([name, found]).toEqual([name, []]);
    }
  });

  it('treats sandbox domains with the prefix sold- as sold', async () => {
    const session = await givenSession(app, client, { domain: 'sold-at-the-till.com' });
    expect((await fetchPage(session.url)).status).toBe(410);
  });
});
