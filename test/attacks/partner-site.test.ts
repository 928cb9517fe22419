import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { siteCommands, sitePages } from '../../api/pages/partner/site-router.ts';
import { changeBrand } from '../../shared/people/partners/change-mail-settings.ts';
import { signIn } from '../../shared/people/users/user-session.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { CONSOLE_ENV, type ConsoleMarket, givenConsoleMarket } from '../support/console-market.ts';
import { givenMember, sitePath } from '../support/partner-site.ts';
import { startSignInApp } from '../support/sign-in.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&</title></script><script>alert(2)</script>`;

let app: TestApp;
let market: ConsoleMarket;
let cookie: string;

beforeAll(async () => {
  app = await startSignInApp({ ...CONSOLE_ENV, RATE_LIMITS: 'off' });
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  const { email } = await givenMember(app, 'admin', market.partnerId);
  const { token } = await signIn(app.runtime, { email, password: PASSWORD });
  cookie = `account_session=${token}`;
});
afterAll(() => app?.stop());

const site = (path: string) => `/partner/${market.partnerId}/sandbox${sitePath(market, path)}`;
const keys = () => `/partner/${market.partnerId}/keys`;

/** What a browser in which the admin is signed in gets. */
async function ask(path: string, init: RequestInit = {}) {
  const headers = { Accept: 'text/html', Cookie: cookie, ...init.headers };
  const answer = await fetch(app.url + path, { redirect: 'manual', ...init, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
const post = (path: string, fields: [string, string][], headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body: new URLSearchParams(fields), headers });

/** How a browser says that another site sent what it sends. */
const FOREIGN: readonly Record<string, string>[] = [
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
  { 'Sec-Fetch-Site': 'same-site', Origin: 'https://shop.localhost' },
];

describe('cross-site requests with a member’s cookie (CSRF)', () => {
  const count = async () => Number((await app.runtime.db.knex('audit_log').count())[0]?.count);

  it('change nothing through any form', async () => {
    const paths = [
      ...siteCommands.map(({ path }) => site(path)),
      keys(),
      ...['change', 'rotate', 'revoke'].map((act) => `${keys()}/${market.keyId}/${act}`),
    ];
    const before = await count();
    for (const path of paths) {
      for (const headers of FOREIGN) {
        const { status } = await post(path, [['display_name', 'Evil']], headers);
        expect([path, headers, status]).toEqual([path, headers, 403]);
      }
    }
    expect(await count()).toBe(before);
    const own = await post(site('/branding'), [['display_name', 'Fern']], { Origin: app.url });
    expect([own.status, await count()]).toEqual([303, before + 1]);
  });

  it('change nothing through any GET request', async () => {
    const before = await count();
    for (const { path } of [...sitePages, ...siteCommands]) await ask(site(path));
    expect(await count()).toBe(before);
  });
});

describe('every partner page', () => {
  it('forbids framing, caching and third-party code', async () => {
    for (const path of [...sitePages.map((page) => site(page.path)), keys()]) {
      const { headers, status } = await ask(path);
      expect([path, status]).toEqual([path, 200]);
      const policy = headers.get('Content-Security-Policy');
      expect([path, policy]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
      expect([path, policy]).toEqual([
        path,
        expect.stringMatching(/^default-src 'none'; style-src 'self';/),
      ]);
      expect([path, policy]).not.toEqual([
        path,
        expect.stringMatching(/script-src[^;]*('unsafe|\*|https?:)/),
      ]);
      expect([path, headers.get('Cache-Control')]).toEqual([path, 'no-store']);
      expect([path, headers.get('X-Content-Type-Options')]).toEqual([path, 'nosniff']);
      expect([path, headers.get('Access-Control-Allow-Origin')]).toEqual([path, null]);
    }
  });

  it('escapes stored markup', async () => {
    const { runtime } = app;
    const { knex } = runtime.db;
    await changeBrand(runtime, 'test', {
      partnerId: market.partnerId,
      displayName: HOSTILE,
      logoUrl: 'https://cdn.example/logo"onerror="alert(1).png',
      termsUrl: `https://evil.example/${HOSTILE}`,
    });
    await knex('api_requests').update({
      method: HOSTILE,
      path: `/${HOSTILE}`,
      request_id: HOSTILE,
      error_code: HOSTILE,
      canonical_string: HOSTILE,
    });
    await knex('checkout_sessions').update({
      client_reference: HOSTILE,
      buyer_name: HOSTILE,
      return_url: HOSTILE,
    });
    await knex('referral_links').update({ label: HOSTILE, sub_id: HOSTILE });
    await knex('partners').where({ id: market.partnerId }).update({ name: HOSTILE });
    await knex('credentials').update({ name: HOSTILE.slice(0, 60) });
    for (const path of [
      ...sitePages.map((page) => site(page.path)),
      keys(),
      `${keys()}/${market.keyId}`,
    ]) {
      const { text, headers } = await ask(path);
      expect([path, /<img src=x|<script>alert|"onerror="/.test(text)]).toEqual([path, false]);
      const [policy] = [headers.get('Content-Security-Policy') ?? ''];
      expect([path, policy.includes('evil.example')]).toEqual([path, false]);
    }
    const page = await ask(site('/requests/:request'));
    expect(page.text).toContain('&lt;img src=x');
  });
});

describe('invalid input to the partner site', () => {
  const NASTY = [
    '',
    ' ',
    '\u0000',
    '%',
    '%zz',
    HOSTILE,
    "' or 1=1 --",
    '=1+1',
    '\r\nSet-Cookie: a=b',
    '1e309',
    '-5',
    '9'.repeat(40),
    '2026-13-45',
    '0000-00-00',
    '\u202e\u0645',
    'x'.repeat(3_000),
  ];
  const nasty = fc.oneof(
    fc.constantFrom(...NASTY),
    fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((text) => text.replace(/\p{Surrogate}/gu, '?')),
  );
  const fieldsOf = (names: readonly string[]) =>
    fc.array(fc.tuple(fc.constantFrom(...names, '__proto__', 'unknown'), nasty), { maxLength: 8 });
  const namesIn = ({ input }: { input: { properties: object } }) => Object.keys(input.properties);

  const expectPage = async (path: string, answer: Awaited<ReturnType<typeof ask>>) => {
    expect([path, answer.status < 500]).toEqual([path, true]);
    expect(answer.text).not.toMatch(/<img src=x|<script>alert/);
    expect(answer.headers.get('Set-Cookie') ?? '').not.toMatch(/^a=b/);
  };

  it.each(sitePages.map((page) => [page.path || '/', page] as const))(
    'causes no server error in the query of %s',
    async (_name, page) => {
      await fc.assert(
        fc.asyncProperty(fieldsOf(namesIn(page)), async (fields) => {
          const path = `${site(page.path)}?${new URLSearchParams(fields)}`;
          await expectPage(path, await ask(path));
        }),
        { numRuns: 15 },
      );
    },
  );

  it.each(siteCommands.map((command) => [command.path, command] as const))(
    'causes no server error in the form of %s',
    async (_name, command) => {
      await fc.assert(
        fc.asyncProperty(fieldsOf(namesIn(command)), fc.boolean(), async (fields, elsewhere) => {
          const path = elsewhere
            ? site(command.path).replace(/_[0-9a-z]{26}/g, '_x')
            : site(command.path);
          await expectPage(path, await post(path, fields));
        }),
        { numRuns: 15 },
      );
    },
  );
});
