import { createHook } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountCommands, accountPages } from '../../api/pages/account/account-site.ts';
import { findSession, signIn } from '../../shared/people/users/user-session.ts';
import { type AccountScene, givenAccountScene, signedInOwner } from '../support/account-scene.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { givenBulkJob, givenOwnerOf, type Owner } from '../support/bulk.ts';
import { unique } from '../support/factories.ts';
import { startSignInApp, type Visitor } from '../support/sign-in.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&</title></script><script>alert(2)</script>`;

let app: TestApp;
let mine: AccountScene;
let theirs: Owner & { jobId: string };
let me: Visitor;
let cookie: string;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
  mine = await givenAccountScene(app);
  const other = await givenOwnerOf(app.runtime, 3);
  const job = await givenBulkJob(app.runtime, other, { op: 'unlist', params: {} });
  theirs = { ...other, jobId: job.id };
  me = await signedInOwner(app, mine);
  cookie = `account_session=${sessionOf(me)}`;
});
afterAll(() => app?.stop());

const sessionOf = (browser: Visitor) =>
  browser.cookies.find(({ name }) => name === 'account_session')?.value ?? '';

/** A path of these pages, with what is mine in the place of its parameters. */
const filled = (path: string) =>
  `/account${path}`
    .replace(':domain', mine.domains[0] ?? '')
    .replace(':op', 'lock')
    .replace(':job', mine.jobId);

async function ask(path: string, init: RequestInit = {}) {
  const headers = { Accept: 'text/html', Cookie: cookie, ...init.headers };
  const answer = await fetch(app.url + path, { redirect: 'manual', ...init, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body: new URLSearchParams(fields), headers });

/** Everything that these pages can change. */
async function state(): Promise<unknown[]> {
  const { knex } = app.runtime.db;
  return Promise.all([
    knex('audit_log').count(),
    knex('bulk_jobs').select('id', 'status').orderBy('id'),
    knex('oauth_grants').select('id', 'revoked_at').orderBy('id'),
    knex('users').select('id', 'password_hash').orderBy('id'),
    knex('user_sessions').select('id').orderBy('id'),
    knex('account_links').select('id').orderBy('id'),
  ]);
}

describe('cross-site requests with an owner’s cookie (CSRF)', () => {
  const FOREIGN: readonly Record<string, string>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://shop.localhost' },
  ];

  it('change nothing through any form', async () => {
    const paths = [
      ...accountCommands.map(({ path }) => filled(path)),
      ...['sign-in', 'sign-out', 'password', 'sessions/end', 'sessions/end-others'].map(
        (path) => `/account/${path}`,
      ),
      ...[
        'passkeys',
        'passkeys/remove',
        'authenticator',
        'authenticator/confirm',
        'join',
        'sign-up',
        'reset',
      ].map((path) => `/account/${path}`),
    ];
    const before = await state();
    const fields = { domains: mine.domains.join('\n'), enabled: 'false', client: mine.clientId };
    for (const path of paths) {
      for (const headers of FOREIGN) {
        const given = { ...fields, key: 'k'.repeat(20), email: 'x@example.com', company: 'X' };
        const { status } = await post(path, given, headers);
        expect([path, headers, status]).toEqual([path, headers, 403]);
      }
    }
    expect(await state()).toEqual(before);
  });

  it('change nothing through any GET request', async () => {
    const before = await state();
    for (const { path } of [...accountPages, ...accountCommands]) await ask(filled(path));
    expect(await state()).toEqual(before);
  });
});

describe('every account page', () => {
  it('forbids framing, caching and third-party code', async () => {
    for (const path of [...accountPages.map((page) => filled(page.path)), '/account/security']) {
      const { headers, status } = await ask(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect([path, status]).toEqual([path, 200]);
      expect([path, policy.includes("frame-ancestors 'none'")]).toEqual([path, true]);
      expect([path, /^default-src 'none'; style-src 'self';/.test(policy)]).toEqual([path, true]);
      expect([path, /'unsafe|\*|https?:/.test(policy)]).toEqual([path, false]);
      expect([path, headers.get('Cache-Control')]).toEqual([path, 'no-store']);
      expect([path, headers.get('Access-Control-Allow-Origin')]).toEqual([path, null]);
    }
  });

  it('escapes stored markup', async () => {
    const { knex } = app.runtime.db;
    const [domain] = mine.domains;
    await knex('owned_domains')
      .where({ domain })
      .update({ tags: [HOSTILE.toLowerCase()] });
    await knex('oauth_clients')
      .where({ id: mine.clientId })
      .update({ metadata: { client_id: mine.clientId, client_name: HOSTILE } });
    await knex('bulk_items')
      .where({ job_id: mine.jobId, position: 0 })
      .update({ message: HOSTILE });
    await knex('user_sessions').where({ user_id: mine.userId }).update({ user_agent: HOSTILE });
    for (const path of [...accountPages.map((page) => filled(page.path)), '/account/security']) {
      const { text } = await ask(path);
      expect([path, /<img src=x|<script>alert/.test(text)]).toEqual([path, false]);
    }
    const typed = { domains: HOSTILE, add: HOSTILE.slice(0, 40) };
    const review = await post('/account/bulk/tags/review', typed, { Origin: app.url });
    expect([review.status, /<img src=x|<script>alert/.test(review.text)]).toEqual([200, false]);
    const list = await ask(`/account/domains?text=${encodeURIComponent(HOSTILE)}`);
    expect([list.status, /<img src=x|<script>alert/.test(list.text)]).toEqual([200, false]);
  });

  it('never fails with a server error on invalid parameters', async () => {
    const names = [
      'text',
      'tld',
      'tag',
      'status',
      'lock',
      'from',
      'sort',
      'cursor',
      'result',
      'op',
    ];
    const nonsense = [
      '\u0000',
      '%',
      "'; drop table users --",
      '9'.repeat(400),
      '1.',
      '../..',
      '-1',
    ];
    for (const { path } of accountPages) {
      for (const name of names) {
        for (const value of nonsense) {
          const { status } = await ask(`${filled(path)}?${name}=${encodeURIComponent(value)}`);
          expect([path, name, value, status < 500]).toEqual([path, name, value, true]);
        }
      }
    }
  });
});

describe('an account owner', () => {
  it('gets the same 404 for another owner’s objects as for unknown ones', async () => {
    const [domain = ''] = theirs.domains;
    const nobodys = `blk_${'0'.repeat(26)}`;
    for (const [path, absent] of [
      [`/domains/${domain}`, '/domains/nobody-has-it.com'],
      [`/jobs/${theirs.jobId}`, `/jobs/${nobodys}`],
      [`/jobs/${theirs.jobId}?format=csv`, `/jobs/${nobodys}?format=csv`],
      [`/jobs/${theirs.jobId}/stream`, `/jobs/${nobodys}/stream`],
    ]) {
      const [there, nowhere] = [await ask(`/account${path}`), await ask(`/account${absent}`)];
      expect([path, there.status, there.text]).toEqual([path, 404, nowhere.text]);
    }
    for (const path of ['/domains', '/domains?format=csv', '/jobs', '/jobs?format=csv', '/apps']) {
      const { text } = await ask(`/account${path}`);
      expect([path, text.includes(domain) || text.includes(theirs.jobId)]).toEqual([path, false]);
    }
  });

  it('cannot change anything of another owner', async () => {
    const { knex } = app.runtime.db;
    const domains = theirs.domains.join('\n');
    const own = { Origin: app.url };
    const cancel = await post(`/account/jobs/${theirs.jobId}/cancel`, {}, own);
    expect(cancel.status).toBe(404);
    expect((await knex('bulk_jobs').where({ id: theirs.jobId }).first()).status).toBe('queued');
    const review = await post('/account/bulk/unlist/review', { domains }, own);
    expect(review.text).toContain('3 domains, skipped');
    expect(review.text).not.toContain('/start"');

    const them = await signedInOwner(app, theirs);
    const grants = await knex('oauth_grants').where({ client_id: mine.clientId });
    const revoked = await them.press(await them.open('/account/apps'), 'Sign out');
    expect(revoked.url.pathname).toBe('/account/sign-in');
    const { token } = await signIn(app.runtime, { email: theirs.email, password: PASSWORD });
    const headers = { ...own, Cookie: `account_session=${token}` };
    await post('/account/apps/revoke', { client: mine.clientId }, headers);
    expect(await knex('oauth_grants').where({ client_id: mine.clientId })).toEqual(grants);
    const [session] = await knex('user_sessions').where({ user_id: mine.userId });
    expect((await post('/account/sessions/end', { id: session.id }, headers)).status).toBe(404);
    expect(await findSession(app.runtime, sessionOf(me))).toBeDefined();
  });

  it('gets their own job for an idempotency key that another owner used', async () => {
    const key = 'the-very-same-key-of-two';
    const { token } = await signIn(app.runtime, { email: theirs.email, password: PASSWORD });
    const start = (headers: Record<string, string>, [domain = '']: readonly string[]) =>
      post('/account/bulk/unlist/start', { domains: domain, key }, { Origin: app.url, ...headers });
    const first = await start({}, mine.domains);
    const second = await start({ Cookie: `account_session=${token}` }, theirs.domains);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(second.headers.get('Location')).not.toBe(first.headers.get('Location'));
    const other = await start({}, mine.domains.slice(1));
    expect([other.status, other.text.includes('Idempotency-Key')]).toEqual([409, true]);
  });
});

describe('a planted session cookie (session fixation)', () => {
  it('is never adopted at sign-in, and the session it belonged to ends', async () => {
    const attacker = await signIn(app.runtime, { email: theirs.email, password: PASSWORD });
    const victim = await givenAccount(app.runtime, 'owner');
    for (const planted of [attacker.token, 'a'.repeat(43), 'x', '']) {
      const body = new URLSearchParams({ email: victim.email, password: PASSWORD });
      const headers = { Origin: app.url, Cookie: `account_session=${planted}` };
      const init = { method: 'POST', body, headers, redirect: 'manual' } as const;
      const answer = await fetch(`${app.url}/account/sign-in`, init);
      const [, given] = /account_session=([^;]+)/.exec(answer.headers.getSetCookie().join()) ?? [];
      expect(given).toMatch(/^[\w-]{43}$/);
      expect(given).not.toBe(planted);
    }
    expect(await findSession(app.runtime, attacker.token)).toBeUndefined();
    expect(await findSession(app.runtime, 'a'.repeat(43))).toBeUndefined();
  });
});

describe('account enumeration', () => {
  /** What can be measured of a request, however exact the clock. */
  async function measured(path: string, fields: Record<string, string>) {
    const { knex } = app.runtime.db;
    const statements: string[] = [];
    let hashes = 0;
    const onQuery = ({ sql }: { sql: string }) => {
      // The wake-up of the relay goes out by itself, for several requests at once.
      if (!sql.includes('pg_notify')) statements.push(sql);
    };
    const hook = createHook({
      init(_id, type) {
        if (type === 'SCRYPTREQUEST') hashes += 1;
      },
    });
    knex.on('query', onQuery);
    hook.enable();
    const body = new URLSearchParams(fields);
    const init = { method: 'POST', body, headers: { Origin: app.url } };
    const answer = await fetch(app.url + path, init);
    const text = await answer.text();
    hook.disable();
    knex.off('query', onQuery);
    const headers = Object.fromEntries(answer.headers);
    for (const name of ['date', 'x-request-id', 'x-service-request-id']) delete headers[name];
    return { status: answer.status, headers, text, statements, hashes };
  }

  /** Of what the page repeats: the address, and what is signed anew each time. */
  const alike = ({ text, ...rest }: Awaited<ReturnType<typeof measured>>, email: string) => ({
    ...rest,
    text: text
      .replaceAll(email, 'EMAIL')
      .replaceAll(/value="[^"]{40,}"|data-options="[^"]+"/g, 'SIGNED'),
  });

  it.each([
    ['/account/join', {}],
    ['/account/sign-up', { company: 'Bluebird' }],
    ['/account/reset', {}],
    ['/account/sign-in', { password: 'not the password' }],
  ])(
    'is not possible through %s: same bytes, headers, statements and hashes',
    async (path, more) => {
      const { email: known } = await givenAccount(app.runtime, 'owner');
      const nobody = `nobody-${unique()}@example.com`.padStart(known.length, 'n');
      // The first of all loads what the others find loaded.
      await measured(path, { ...more, email: `first-${unique()}@example.com` });
      for (let time = 0; time < 4; time += 1) {
        const there = alike(await measured(path, { ...more, email: known }), known);
        const nowhere = alike(await measured(path, { ...more, email: nobody }), nobody);
        expect(nowhere.statements.length).toBeGreaterThan(2);
        expect({ ...nowhere, headers: { ...nowhere.headers, 'content-length': 0 } }).toEqual({
          ...there,
          headers: { ...there.headers, 'content-length': 0 },
        });
      }
    },
  );
});
