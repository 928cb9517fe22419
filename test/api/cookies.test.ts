import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../support/checkout.ts';
import { authorizeLink, givenClient } from '../support/oauth-client.ts';
import { BROWSER, givenAffiliate, givenLink } from '../support/referrals.ts';

const ORIGIN = 'https://market.example';
const HOST =
  /^__Host-(\w+)(?:\.sig)?=[^;]*; (?=.*Path=\/(?:;|$))(?=.*HttpOnly)(?=.*Secure)(?!.*Domain)/i;
const SECURE = /^__Secure-\w+(?:\.sig)?=[^;]*; (?=.*Path=\/oauth\/)(?=.*HttpOnly)(?=.*Secure)/i;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: ORIGIN, RATE_LIMITS: 'off' });
});
afterAll(() => app.stop());

const send = (path: string, fields: Record<string, string>) =>
  fetch(app.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: ORIGIN, 'X-Forwarded-Proto': 'https' },
    body: new URLSearchParams(fields),
  });

it('sessions are kept in __Host- cookies over TLS; cookies without the prefix are ignored', async () => {
  const { email } = await givenAccount(app.runtime, 'ops', 'admin');
  for (const [path, name, home] of [
    ['/account/sign-in', 'account_session', '/account/security'],
    ['/ops/sign-in', 'ops_session', '/ops'],
  ] as const) {
    const entered = await send(path, { email, password: PASSWORD, next: home });
    const [cookie = ''] = entered.headers.getSetCookie();
    expect([path, HOST.exec(cookie)?.[1]]).toEqual([path, name]);
    const [pair = ''] = cookie.split(';');
    const open = (Cookie: string) =>
      fetch(app.url + home, {
        redirect: 'manual',
        headers: { Cookie, Accept: 'text/html', 'X-Forwarded-Proto': 'https' },
      });
    expect((await open(pair)).status).toBe(200);
    // A cookie without the prefix may have been set by any subdomain.
    expect((await open(pair.replace('__Host-', ''))).status).toBe(303);
  }
});

it('referral clicks are kept in __Host- cookies over TLS; those without the prefix are ignored', async () => {
  const affiliate = await givenAffiliate(app.runtime);
  const link = await givenLink(app.runtime, affiliate);
  const answer = await fetch(`${app.url}/r/${link.code}`, {
    redirect: 'manual',
    headers: { 'User-Agent': BROWSER },
  });
  const [cookie = ''] = answer.headers.getSetCookie();
  expect(HOST.exec(cookie)?.[1]).toBe('ref');
  const [pair = ''] = cookie.split(';');
  const { client } = await app.partner();
  for (const [Cookie, earner] of [
    [`a=1; ${pair}; b=2`, link.id],
    [pair.replace('__Host-', ''), null],
  ] as const) {
    const session = await givenSession(app, client);
    const page = await fetchPage(session.url, { headers: { Cookie } });
    await sendForm(session.url, 'pay', buyerWith(CARDS.good), page);
    const order = await app.runtime.db
      .knex('orders')
      .where({ checkout_session_id: session.id })
      .first('referral_link_id');
    expect(order).toEqual({ referral_link_id: earner });
  }
});

it('OAuth sign-in uses __Host- and __Secure- cookies over TLS', async () => {
  const { link } = authorizeLink(app, await givenClient(app));
  const answer = await fetch(link, { redirect: 'manual' });
  const cookies = answer.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(2);
  for (const cookie of cookies) expect(cookie).toMatch(/^__Host-/.test(cookie) ? HOST : SECURE);
});
