import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/http/server.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { encodeClick } from '../../../shared/sales/referral/click-cookie.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  buyerWith,
  CARDS,
  fetchPage,
  givenSession,
  ordersOf,
  sendForm,
} from '../../support/checkout.ts';
import { givenListing } from '../../support/factories.ts';
import { givenAffiliate, givenLink, historyOf } from '../../support/referrals.ts';
import { type StripeApp, startStripeApp } from '../../support/stripe-app.ts';
import type { StripeStandIn } from '../../support/stripe-stand-in.ts';

describe('checkout with a provider that takes the card on its own page', () => {
  let app: StripeApp;
  let stripe: StripeStandIn;
  beforeAll(async () => {
    app = await startStripeApp();
    stripe = app.stripe;
  });
  afterAll(() => app.stop());

  const given = async () => {
    const { client } = await app.partner({ environment: 'LIVE' });
    return givenSession(app, client, { environment: 'LIVE' });
  };
  const buyer = { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' };
  const newest = () => [...stripe.sessions.values()].at(-1);

  it('sends the buyer there, and completes the sale when they return', async () => {
    const session = await given();
    const page = await fetchPage(session.url);
    expect(page.text).toContain('Continue to pay $4,850.00');
    expect(page.text).not.toContain('cc-number');
    const sent = await sendForm(session.url, 'pay', buyer, page);
    expect([sent.status, sent.location]).toEqual([303, newest()?.url]);
    expect((await fetchPage(session.url)).text).toContain('Finish your payment');

    // Going back without paying leads to the same payment.
    const again = await sendForm(session.url, 'return');
    expect(again.location).toBe(newest()?.url);
    const { size } = stripe.sessions;
    await sendForm(session.url, 'pay', buyer, page);
    expect(stripe.sessions.size).toBe(size);

    stripe.pay(newest()?.id ?? '');
    const back = new URL(session.url);
    back.pathname += '/return';
    await Promise.all([1, 2, 3].map(() => fetchPage(back.href)));
    const [order] = await ordersOf(app, session.id);
    expect(order?.status).toBe('PAID');
    expect((await fetchPage(session.url)).text).toContain(order?.id);
  });

  it('rejects a price that the provider cannot charge exactly', async () => {
    const { client } = await app.partner({ environment: 'LIVE' });
    const live = { environment: 'LIVE' as const, currency: 'MGA' };
    const { domain } = await givenListing(app.runtime, { ...live, priceCents: 150 });
    const { body } = await client.post('/v1/checkout-session', { body: { domain } }).expect(409);
    expect(body.error.details.reason).toBe('price_not_payable');

    // Whole ariary can be charged, in Stripe's units.
    const session = await givenSession(app, client, { ...live, priceCents: 20_000 });
    await sendForm(session.url, 'pay', buyer);
    expect(newest()).toMatchObject({ amount_total: 200, currency: 'mga' });
  });

  it('shows and charges the same amount in a currency whose minor units Intl counts differently', async () => {
    const { client } = await app.partner({ environment: 'LIVE' });
    const forint = { environment: 'LIVE' as const, currency: 'HUF', priceCents: 9_900_000 };
    const session = await givenSession(app, client, forint);
    expect((await fetchPage(session.url)).text).toContain('HUF\u00a099,000.00');
    await sendForm(session.url, 'pay', buyer);
    expect(newest()).toMatchObject({ amount_total: 9_900_000, currency: 'huf' });
  });

  it('waits for a payment that the bank is still processing', async () => {
    const session = await given();
    await sendForm(session.url, 'pay', buyer);
    stripe.pay(newest()?.id ?? '', 'processing');
    const back = new URL(session.url);
    back.pathname += '/return';
    await fetchPage(back.href);
    const waiting = await fetchPage(session.url);
    expect(waiting.text).toContain('Your payment is processing');
    expect(waiting.text).toContain('http-equiv="refresh"');
    expect(await ordersOf(app, session.id)).toEqual([]);
  });

  it('shows an error when the provider is down, and charges once afterwards', async () => {
    const session = await given();
    const page = await fetchPage(session.url);
    stripe.faults.push('cut', 'cut', 'cut', 'cut');
    const broken = await sendForm(session.url, 'pay', buyer, page);
    expect(broken.status).toBeGreaterThanOrEqual(500);
    expect(broken.text).toContain('never charged twice');
    stripe.faults.length = 0;
    const corrected = { ...buyer, email: 'other@example.com', name: 'B. Buyer' };
    const sent = await sendForm(session.url, 'pay', corrected, page);
    expect([sent.status, sent.location]).toEqual([303, newest()?.url]);
    expect(
      await app.runtime.db.knex('payments').where({ checkout_session_id: session.id }),
    ).toHaveLength(1);
  });
});

describe('a checkout sale', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  it('is attributed to the referral link in the browser’s cookie', async () => {
    const affiliate = await givenAffiliate(app.runtime);
    const link = await givenLink(app.runtime, affiliate);
    const { client } = await app.partner();
    const session = await givenSession(app, client);
    const clicked = await fetch(`${app.url}/r/${link.code}`, { redirect: 'manual' });
    const cookie = clicked.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const page = await fetchPage(session.url, { headers: { Cookie: cookie } });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    const order = await app.runtime.db
      .knex('orders')
      .where({ checkout_session_id: session.id })
      .first('referral_link_id');
    expect(order).toEqual({ referral_link_id: link.id });
  });

  it('is attributed to the buyer’s last click, whichever browser opens or pays the page last', async () => {
    const { knex } = app.runtime.db;
    const click = async () => {
      const link = await givenLink(app.runtime, await givenAffiliate(app.runtime));
      const { headers } = await fetch(`${app.url}/r/${link.code}`, { redirect: 'manual' });
      app.runtime.clock.advance(60_000);
      return { id: link.id, Cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '' };
    };
    const [first, second] = [await click(), await click()];
    for (const [opens, pays] of [
      [first, second],
      [second, first],
      [second, { Cookie: '' }],
    ] as const) {
      const { client } = await app.partner();
      const session = await givenSession(app, client);
      const open = ({ Cookie }: { Cookie: string }) =>
        fetchPage(session.url, { headers: { Cookie } });
      await open(opens);
      await sendForm(session.url, 'pay', buyerWith(CARDS.good), await open(pays), pays.Cookie);
      const order = await knex('orders').where({ checkout_session_id: session.id }).first();
      expect(order).toMatchObject({ status: 'PAID', referral_link_id: second.id });
    }
  });

  it.each<[string, (code: string) => string]>([
    ['a code alone', (code) => code],
    ['a code with a time that somebody wrote', (code) => `${code}.tosnq0`],
    ['a code with the present time', (code) => encodeClick({ code, clickedAt: new Date() })],
  ])('is not attributed to a referral by %s in the cookie', async (_what, cookieOf) => {
    const link = await givenLink(app.runtime, await givenAffiliate(app.runtime));
    const { client } = await app.partner();
    const session = await givenSession(app, client);
    const Cookie = `ref=${cookieOf(link.code)}`;
    const page = await fetchPage(`${session.url}&ref=${link.code}`, { headers: { Cookie } });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    const found = await app.runtime.db
      .knex('orders')
      .where({ checkout_session_id: session.id })
      .first('referral_link_id');
    expect(found).toEqual({ referral_link_id: null });
  });

  it('is not attributed to the partner’s own referral link', async () => {
    const affiliate = await givenAffiliate(app.runtime);
    const link = await givenLink(app.runtime, affiliate);
    const session = await givenSession(app, app.as(affiliate));
    const clicked = await fetch(`${app.url}/r/${link.code}`, { redirect: 'manual' });
    const Cookie = clicked.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const page = await fetchPage(session.url, { headers: { Cookie } });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    expect(await app.runtime.db.knex('orders').where({ checkout_session_id: session.id })).toEqual([
      expect.objectContaining({ status: 'PAID', referral_link_id: null }),
    ]);
    expect(await historyOf(app.runtime, affiliate)).toEqual([]);
  });

  it('logs no card, buyer or link', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = createLogger({ level: 'trace', name: 'test' }, stream);
    const { server, stop } = createApiServer(createApp({ ...app.runtime, log }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { client } = await app.partner();
      const made = await givenSession(app, client);
      const url = made.url.replace(
        app.url,
        `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      );
      await sendForm(url, 'pay', { ...buyerWith(CARDS.declined), number: 'x' });
      await sendForm(url, 'pay', buyerWith(CARDS.declined));
      await app.runtime.db.knex.raw('alter table ledger_entries rename to ledger_entries_away');
      const broken = await sendForm(url, 'pay', buyerWith(CARDS.good));
      await app.runtime.db.knex.raw('alter table ledger_entries_away rename to ledger_entries');
      expect(broken.status).toBe(500);
      const written = lines.join('');
      expect(written).toContain('request failed');
      expect(written).not.toMatch(/4242|0000 ?0002|buyer@example|A\. Buyer/);
      expect(written).not.toContain(new URL(url).searchParams.get('pt'));
    } finally {
      await stop(0);
    }
  });
});
