import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../../../shared/people/users/user.ts';
import { MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { authorizeLink, givenClient } from '../../support/oauth-client.ts';
import { runOps } from '../../support/ops-command.ts';
import { codeOf as appCode, givenAuthenticator } from '../../support/second-factors.ts';
import { newVisitor, startSignInApp, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

const codeOf = (secret: string) => appCode(app.runtime, secret);
const nextStep = () => app.runtime.clock.advance(30 * SECOND);

/** An account with an authenticator app whose first code was used. */
async function givenFactor(role: 'ops' | 'owner') {
  const user = await givenAccount(app.runtime, role);
  const factor = await givenAuthenticator(app.runtime, user);
  nextStep();
  return { user, ...factor };
}

/** Enters address and password, and returns the next page. */
async function withPassword({ email }: User, site: '/account' | '/ops' = '/account') {
  const browser = newVisitor(app.url);
  const page = await browser.open(`${site}/sign-in`);
  return { browser, page: await browser.submit(page, 'Sign in', { email, password: PASSWORD }) };
}

const isIn = (browser: Visitor) => browser.cookies.some(({ name }) => /_session$/.test(name));

describe('an authenticator app', () => {
  it('is set up with its first code, shows recovery codes once, and triggers an email', async () => {
    const user = await givenAccount(app.runtime, 'owner');
    const { browser } = await withPassword(user);
    const security = await browser.open('/account/security');
    expect(security.text).toContain('href="/account/authenticator/new"');
    const begin = await browser.open('/account/authenticator/new');
    const unproven = await browser.submit(begin, 'Continue', { present: 'not the password' });
    expect([unproven.status, unproven.text.includes('Current password is wrong.')]).toEqual([
      400,
      true,
    ]);
    const setup = await browser.submit(begin, 'Continue', { present: PASSWORD });
    expect(setup.text).toContain('src="data:image/svg+xml;base64,');
    const secret = /<p><code>([A-Z2-7 ]+)<\/code>/.exec(setup.text)?.[1]?.replaceAll(' ', '') ?? '';
    const wrong = await browser.submit(setup, 'Turn on', { code: '000000' });
    expect([wrong.status, wrong.text.includes('is not right')]).toEqual([400, true]);
    const done = await browser.submit(wrong, 'Turn on', { code: codeOf(secret) });
    expect(done.text.match(/<li><code>[a-z2-7]{4}(-[a-z2-7]{4}){3}</g)).toHaveLength(10);
    expect((await browser.open('/account/security')).text).not.toContain(secret);
    expect((await browser.open('/account/authenticator')).status).toBe(409);
    const { rows } = await app.runtime.db.knex.raw(
      'select to_jsonb(a) as row from user_authenticators a where user_id = ?',
      [user.id],
    );
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'));
    const mails = await app.runtime.db.knex('mails').where({ recipient: user.email }).pluck('kind');
    expect(mails).toEqual(['second-factor-changed']);
  });

  it('explains that each code works once when the setup code is used again', async () => {
    const user = await givenAccount(app.runtime, 'owner');
    const { secret } = await givenAuthenticator(app.runtime, user);
    const { browser, page } = await withPassword(user);
    const refused = await browser.submit(page, 'Verify', { code: codeOf(secret) });
    expect([refused.status, refused.text.includes('Each code works only once')]).toEqual([
      401,
      true,
    ]);
    nextStep();
    await browser.submit(refused, 'Verify', { code: codeOf(secret) });
    expect(isIn(browser)).toBe(true);
  });

  it.each(['/account', '/ops'] as const)(
    'is required at %s: the password alone is not enough',
    async (site) => {
      const { user, secret } = await givenFactor('ops');
      const { browser, page } = await withPassword(user, site);
      expect([page.status, page.text.includes('Enter your code'), isIn(browser)]).toEqual([
        200,
        true,
        false,
      ]);
      const wrong = await browser.submit(page, 'Verify', { code: '123456' });
      expect([wrong.status, isIn(browser)]).toEqual([401, false]);
      const home = await browser.submit(wrong, 'Verify', { code: codeOf(secret) });
      expect([home.status, isIn(browser)]).toEqual([200, true]);
    },
  );

  it('accepts each code only once', async () => {
    const { user, secret, recovery } = await givenFactor('owner');
    for (const code of [codeOf(secret), recovery[0] ?? '']) {
      const first = await withPassword(user);
      await first.browser.submit(first.page, 'Verify', { code });
      expect(isIn(first.browser)).toBe(true);
      const second = await withPassword(user);
      expect((await second.browser.submit(second.page, 'Verify', { code })).status).toBe(401);
      // Nor can the page of the first sign-in open another session.
      expect((await first.browser.submit(first.page, 'Verify', { code })).status).toBe(401);
    }
  });

  it('cannot be guessed: after five wrong codes even the right one has to wait', async () => {
    const { user, secret } = await givenFactor('owner');
    const { browser, page } = await withPassword(user);
    const guess = async (code: string) => (await browser.submit(page, 'Verify', { code })).status;
    for (let at = 0; at < 5; at += 1) expect(await guess(`00000${at}`)).toBe(401);
    expect(await guess(codeOf(secret))).toBe(429);
    // Another sign-in does not reset the count.
    const again = await withPassword(user);
    const { status } = await again.browser.submit(again.page, 'Verify', { code: codeOf(secret) });
    expect(status).toBe(429);
    const failed = { user_id: user.id, reason: 'code', address: '127.0.0.1' };
    expect(await app.runtime.db.knex('sign_in_failures').where(failed)).toHaveLength(5);
  });

  it.each(['/account', '/ops'] as const)(
    'records a fallback to an unknown passkey at %s as a failed sign-in',
    async (site) => {
      const { user } = await givenFactor('ops');
      const { browser, page } = await withPassword(user, site);
      const answer = { passkey_ticket: 'of nobody', response: '{"id":"unknown"}' };
      expect((await browser.submit(page, 'Verify', answer)).status).toBe(401);
      const failures = await app.runtime.db.knex('sign_in_failures').where({ user_id: user.id });
      expect(failures).toMatchObject([{ reason: 'passkey', address: '127.0.0.1' }]);
    },
  );

  it('cannot be guessed in an open session, whether to remove it or to authorize an app', async () => {
    const { user, secret, recovery } = await givenFactor('owner');
    const { browser, page } = await withPassword(user);
    await browser.submit(page, 'Verify', { code: recovery[0] ?? '' });
    const remove = async (code: string) =>
      (await browser.submit(await browser.open('/account/security'), 'Remove the app', { code }))
        .status;
    for (let at = 0; at < 5; at += 1) expect(await remove(`00000${at}`)).toBe(400);
    expect(await remove(codeOf(secret))).toBe(429);
    const visitor = newVisitor(app.url);
    const { link } = authorizeLink(app, await givenClient(app));
    const given = { email: user.email, password: PASSWORD };
    const asked = await visitor.submit(await visitor.open(link), 'Sign in', given);
    expect((await visitor.submit(asked, 'Verify', { code: codeOf(secret) })).status).toBe(429);
  });

  it('rejects codes of another account, altered tickets, and expired tickets', async () => {
    const [mine, theirs] = [await givenFactor('owner'), await givenFactor('owner')];
    const { browser, page } = await withPassword(theirs.user);
    const send = async (fields: Record<string, string>) =>
      (await browser.submit(page, 'Verify', fields)).status;
    expect(await send({ code: codeOf(mine.secret) })).toBe(401);
    expect(await send({ code: codeOf(theirs.secret), ticket: 'x.y.z' })).toBe(401);
    app.runtime.clock.advance(6 * MINUTE);
    expect(await send({ code: codeOf(theirs.secret) })).toBe(401);
    expect(isIn(browser)).toBe(false);
  });

  it('is removed with a code, or by an admin for a user who lost it', async () => {
    const { user, recovery } = await givenFactor('owner');
    const { browser, page } = await withPassword(user);
    await browser.submit(page, 'Verify', { code: recovery[1] ?? '' });
    const home = await browser.open('/account/security');
    const refused = await browser.submit(home, 'Remove the app', { code: '123456' });
    expect(refused.status).toBe(400);
    const removed = await browser.submit(refused, 'Remove the app', { code: recovery[2] ?? '' });
    expect(removed.text).toContain('Your authenticator app is removed.');
    const plain = await withPassword(user);
    expect(isIn(plain.browser)).toBe(true);

    const other = await givenFactor('owner');
    const args = ['user:reset-second-factor', '--user', other.user.email, '--json'];
    expect((await runOps(app.runtime, args)).json).toEqual({ user_id: other.user.id });
    expect(isIn((await withPassword(other.user)).browser)).toBe(true);
  });

  it('rejects forms from other sites', async () => {
    const { user, secret } = await givenFactor('owner');
    const { browser, page } = await withPassword(user);
    const foreign = { Origin: 'https://evil.example' };
    const code = codeOf(secret);
    expect((await browser.submit(page, 'Verify', { code }, foreign)).status).toBe(403);
    await browser.submit(page, 'Verify', { code });
    const home = await browser.open('/account/security');
    expect((await browser.submit(home, 'Remove the app', { code }, foreign)).status).toBe(403);
  });
});

describe('sign-in to a third-party app with OAuth', () => {
  it('requires the second factor as well as the password', async () => {
    const { user, secret } = await givenFactor('owner');
    const browser = newVisitor(app.url);
    const { link } = authorizeLink(app, await givenClient(app));
    const page = await browser.open(link);
    const asked = await browser.submit(page, 'Sign in', { email: user.email, password: PASSWORD });
    expect(asked.text).toContain('Enter your code');
    const wrong = await browser.submit(asked, 'Verify', { code: '123456' });
    expect(wrong.status).toBe(401);
    expect((await browser.open(link)).text).toContain('name="password"');
    const consent = await browser.submit(wrong, 'Verify', { code: codeOf(secret) });
    expect(consent.text).toContain(user.email);
    expect(consent.text).toContain('>Allow</button>');
  });
});

describe('staff API sessions', () => {
  const enter = (body: object) =>
    fetch(`${app.url}/ops/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('need a code at sign-in, and a recent one for dangerous actions', async () => {
    const { user, secret } = await givenFactor('ops');
    const given = { email: user.email, password: PASSWORD };
    expect((await enter(given)).status).toBe(401);
    const opened = await enter({ ...given, code: codeOf(secret) });
    expect(opened.status).toBe(201);
    const { token } = (await opened.json()) as { token: string };
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const send = async (path: string) =>
      (await fetch(`${app.url}/ops/api${path}`, { method: 'POST', headers, body: '{}' })).status;
    expect(await send('/payouts/x/mark-paid')).not.toBe(403);
    app.runtime.clock.advance(16 * MINUTE);
    expect(await send('/payouts/x/mark-paid')).toBe(403);
    expect(await send('/orders/x/refund/decline')).not.toBe(403);
  });

  it('are rejected without a second factor where it is required', async () => {
    const strict = await startTestApp({ STAFF_SECOND_FACTOR: 'required' });
    try {
      const { email } = await givenAccount(strict.runtime, 'ops');
      const body = JSON.stringify({ email, password: PASSWORD });
      const headers = { 'Content-Type': 'application/json' };
      const opened = await fetch(`${strict.url}/ops/api/session`, {
        method: 'POST',
        headers,
        body,
      });
      const { token } = (await opened.json()) as { token: string };
      const answer = await fetch(`${strict.url}/ops/api/partners`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('Set up a passkey'),
      ]);
    } finally {
      await strict.stop();
    }
  });
});
