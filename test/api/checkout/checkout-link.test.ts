import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, HOUR } from '../../../shared/platform/clock.ts';
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
import type { SignedClient } from '../../support/signed-client.ts';
import { takeBack } from '../../support/take-back.ts';

/** Whoever has a valid link can open the page, and nobody else. */
describe('the link to a checkout page', () => {
  let app: TestApp;
  let client: SignedClient;
  beforeAll(async () => {
    app = await startTestApp();
    ({ client } = await app.partner());
  });
  afterAll(() => app.stop());

  const paymentsOf = (session: SessionFixture) =>
    app.runtime.db.knex('payments').where({ checkout_session_id: session.id });
  const expectNothingBought = async (session: SessionFixture) => {
    expect(await ordersOf(app, session.id)).toEqual([]);
    expect(await paymentsOf(session)).toEqual([]);
  };

  it.each<[string, (url: URL, other: URL) => void, number, string]>([
    ['without its token', (url) => url.searchParams.delete('pt'), 403, 'doesn’t work'],
    [
      'with a changed token',
      (url) => url.searchParams.set('pt', `${url.searchParams.get('pt')}x`),
      403,
      'doesn’t work',
    ],
    [
      'with the token of another session',
      (url, other) => url.searchParams.set('pt', other.searchParams.get('pt') ?? ''),
      403,
      'doesn’t work',
    ],
    ['with a token given twice', (url) => url.searchParams.append('pt', 'x'), 403, 'doesn’t work'],
    [
      'of no session',
      (url) => {
        url.pathname = '/checkout/nothing';
      },
      403,
      'doesn’t work',
    ],
  ])('is rejected %s', async (_what, change, status, text) => {
    const session = await givenSession(app, client);
    const good = await fetchPage(session.url);
    const url = new URL(session.url);
    change(url, new URL((await givenSession(app, client)).url));
    const opened = await fetchPage(url.href);
    expect([opened.status, opened.headers.get('Content-Type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    expect(opened.text).toContain(text);
    const sent = await sendForm(url.href, 'pay', buyerWith(CARDS.good), good);
    expect(sent.status).toBe(status);
    await expectNothingBought(session);
  });

  it('is rejected once it has expired, along with forms opened before', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    // After the session expires, and after the link itself expires.
    for (const [ms, answer] of [
      [7 * DAY + HOUR, 303],
      [11 * DAY + HOUR, 410],
    ] as const) {
      app.runtime.clock.advance(ms);
      const sent = await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
      const opened = await fetchPage(session.url);
      app.runtime.clock.advance(-ms);
      expect([sent.status, opened.status]).toEqual([answer, 410]);
      expect(opened.text).toContain('This payment link has expired');
    }
    await expectNothingBought(session);
  });

  it('rejects a form of another session or without a form token', async () => {
    const session = await givenSession(app, client);
    const other = await fetchPage((await givenSession(app, client)).url);
    expect((await sendForm(session.url, 'pay', buyerWith(CARDS.good), other)).status).toBe(403);
    const none = await fetchPage(session.url.replace('?', '/pay?'), {
      method: 'POST',
      body: new URLSearchParams(buyerWith(CARDS.good)),
    });
    expect(none.status).toBe(403);
    await expectNothingBought(session);
  });

  it('shows the receipt once it was paid, and takes no second payment', async () => {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    for (const action of ['pay', 'confirm', 'cancel', 'return'] as const) {
      const sent = await sendForm(session.url, action, buyerWith(CARDS.good), page);
      expect([action, sent.status, new URL(sent.location, session.url).href]).toEqual([
        action,
        303,
        session.url,
      ]);
    }
    const receipt = await fetchPage(session.url);
    expect([receipt.status, receipt.text.includes('you bought')]).toEqual([200, true]);
    expect(await paymentsOf(session)).toHaveLength(1);
  });

  it('says that a purchase was refunded, and no longer that the domain will be transferred', async () => {
    const session = await givenSession(app, client);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), await fetchPage(session.url));
    const [order] = await ordersOf(app, session.id);
    await takeBack(app.runtime, order?.id ?? '');
    const { text } = await fetchPage(session.url);
    expect(text).toContain('was refunded');
    expect(text).not.toMatch(/you bought|We transfer the domain/);
  });

  it('redirects from a form’s address back to the page', async () => {
    const session = await givenSession(app, client);
    for (const action of ['pay', 'confirm', 'cancel']) {
      const answer = await fetchPage(session.url.replace('?', `/${action}?`));
      expect([answer.status, new URL(answer.location, session.url).href]).toEqual([
        303,
        session.url,
      ]);
    }
    const nothing = await fetchPage(session.url.replace('?', '/nothing?'));
    expect([nothing.status, nothing.text.includes('doesn’t work')]).toEqual([404, true]);
    await expectNothingBought(session);
  });

  it('opens a page that is not cached, indexed or framed, and runs no inline scripts', async () => {
    const session = await givenSession(app, client);
    const { headers, text } = await fetchPage(session.url);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('X-Robots-Tag')).toContain('noindex');
    expect(headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(text).not.toMatch(/<script(?![^>]*src=")|\son\w+=|style="/);
    for (const [, path = ''] of text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
      const asset = await fetchPage(app.url + path);
      expect([asset.status, asset.headers.get('Cache-Control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  it('keeps its content security policy whatever the partner’s cancel_url contains', async () => {
    const session = await givenSession(app, client, {}, { cancel_url: 'https://a;sandbox/' });
    const { headers } = await fetchPage(session.url);
    expect(headers.get('Content-Security-Policy')).toContain(`form-action 'self'; base-uri`);
  });
});
