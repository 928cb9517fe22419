import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { disableUser } from '../../../shared/people/user-accounts/user-access.ts';
import { findSession } from '../../../shared/people/users/user-session.ts';
import { linksMailed } from '../../support/account-mail.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { newVisitor, startSignInApp, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

const NEW_PASSWORD = 'an even longer password';
const sessionOf = (browser: Visitor) =>
  browser.cookies.find(({ name }) => name === 'account_session')?.value ?? '';

async function signedIn(email: string, password = PASSWORD): Promise<Visitor> {
  const browser = newVisitor(app.url);
  const page = await browser.open('/account');
  expect(page.url.pathname).toBe('/account/sign-in');
  const home = await browser.submit(page, 'Sign in', { email, password });
  expect([home.status, home.url.pathname]).toEqual([200, '/account/domains']);
  return browser;
}

/** Requests a link as a browser does, and returns the emailed links. */
async function resetLinks(email: string) {
  const browser = newVisitor(app.url);
  const answer = await browser.submit(await browser.open('/account/reset'), 'Send link', { email });
  return { answer, links: await linksMailed(app.runtime, 'password-reset', email) };
}

describe('a session on the account pages', () => {
  it('uses a cookie that scripts and forms on other sites cannot use', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const browser = await signedIn(email);
    const [cookie] = browser.cookies;
    expect(cookie?.attributes).toMatch(/HttpOnly/);
    expect(cookie?.attributes).toMatch(/SameSite=Lax/);
    const page = await browser.open('/account/security');
    for (const button of ['Change password', 'Sign out']) {
      const foreign = await browser.submit(page, button, {}, { Origin: 'https://evil.example' });
      expect([button, foreign.status]).toEqual([button, 403]);
    }
    expect((await browser.open('/account/security')).url.pathname).toBe('/account/security');
  });

  it('always gets a new token, even if the browser already has one', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const browser = await signedIn(email);
    const planted = sessionOf(browser);
    const page = await browser.open('/account/sign-in');
    await browser.submit(page, 'Sign in', { email, password: PASSWORD });
    expect(sessionOf(browser)).not.toBe(planted);
    expect(await findSession(app.runtime, planted)).toBeUndefined();
  });

  it('never redirects to another site after sign-in', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    for (const next of ['https://evil.example', '//evil.example', '/ops', '/account/../ops']) {
      const browser = newVisitor(app.url);
      const page = await browser.open('/account/sign-in');
      const home = await browser.submit(page, 'Sign in', { email, password: PASSWORD, next });
      expect([next, home.url.origin, home.url.pathname]).toEqual([
        next,
        app.url,
        '/account/domains',
      ]);
    }
  });

  it('is listed with its device, and can be ended alone or with all others', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const [first, second, third] = [
      await signedIn(email),
      await signedIn(email),
      await signedIn(email),
    ];
    const isIn = async (browser: Visitor) =>
      (await findSession(app.runtime, sessionOf(browser))) !== undefined;
    const page = await first.open('/account/security');
    expect(page.text.match(/>End</g)).toHaveLength(2);
    expect(page.text).toContain('127.0.0.1');
    const ended = await first.submit(page, 'End');
    expect(ended.text).toContain('The session has ended.');
    expect([await isIn(second), await isIn(third)].filter(Boolean)).toHaveLength(1);
    await first.submit(ended, 'Sign out everywhere else');
    expect([await isIn(first), await isIn(second), await isIn(third)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('cannot be ended by another user', async () => {
    const [mine, theirs] = [
      await givenAccount(app.runtime, 'owner'),
      await givenAccount(app.runtime, 'owner'),
    ];
    const me = await signedIn(mine.email);
    await signedIn(mine.email);
    const other = await signedIn(theirs.email);
    const [row] = await app.runtime.db.knex('user_sessions').where({ user_id: theirs.id });
    const page = await me.open('/account/security');
    expect((await me.submit(page, 'End', { id: row.id })).status).toBe(404);
    expect(await findSession(app.runtime, sessionOf(other))).toBeDefined();
  });

  it('keeps an owner out of the operator console', async () => {
    const owner = await givenAccount(app.runtime, 'owner');
    const token = sessionOf(await signedIn(owner.email));
    const headers = { Cookie: `ops_session=${token}` };
    expect((await fetch(`${app.url}/ops/api/partners`, { headers })).status).toBe(403);
  });
});

describe('account passwords', () => {
  it('change for a user who knows the current one, which ends all open sessions', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const [browser, other] = [await signedIn(email), await signedIn(email)];
    const change = async (fields: Record<string, string>) =>
      browser.submit(await browser.open('/account/security'), 'Change password', fields);
    const wrong = await change({ present: 'not it at all', password: NEW_PASSWORD });
    expect([wrong.status, wrong.text.includes('is not your current password')]).toEqual([
      400,
      true,
    ]);
    const common = await change({ present: PASSWORD, password: 'iloveyou2' });
    expect([common.status, common.text.includes('most common')]).toEqual([400, true]);
    const done = await change({ present: PASSWORD, password: NEW_PASSWORD });
    expect(done.url.pathname).toBe('/account/sign-in');
    expect(await findSession(app.runtime, sessionOf(other))).toBeUndefined();
    await signedIn(email, NEW_PASSWORD);
  });

  it('are reset by a link that works once and only for its own account', async () => {
    const [mine, theirs] = [
      await givenAccount(app.runtime, 'owner'),
      await givenAccount(app.runtime, 'owner'),
    ];
    const open = await signedIn(mine.email);
    const { links } = await resetLinks(mine.email);
    const browser = newVisitor(app.url);
    const page = await browser.open(links[0] ?? '');
    const fields = { password: NEW_PASSWORD, email: theirs.email, username: theirs.email };
    const done = await browser.submit(page, 'Change password', fields);
    expect(done.text).toContain('Your password has changed');
    expect(await findSession(app.runtime, sessionOf(open))).toBeUndefined();
    await signedIn(mine.email, NEW_PASSWORD);
    await signedIn(theirs.email);
    expect((await browser.submit(page, 'Change password', fields)).status).toBe(404);
    expect((await browser.open(links[0] ?? '')).status).toBe(404);
  });

  it('are not reset by a link that was used while its form was being submitted', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const { links } = await resetLinks(email);
    const browser = newVisitor(app.url);
    const page = await browser.open(links[0] ?? '');
    const { knex } = app.runtime.db;
    const waiting = async (): Promise<number> => {
      const { rows } = await knex.raw(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0].waiting;
    };
    const sent = await knex.transaction(async (others) => {
      await others('account_links').where({ email }).update({ used_at: new Date() });
      const answer = browser.submit(page, 'Change password', { password: NEW_PASSWORD });
      await eventually(waiting, (n) => n === 1);
      return { answer };
    });
    const { status, text } = await sent.answer;
    expect([status, readable(text)]).toEqual([
      404,
      expect.stringMatching(/This link doesn’t work .*has already been used/),
    ]);
    await signedIn(email);
  });

  it('are not reset by a link older than 30 minutes or older than a password change', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const { links } = await resetLinks(email);
    const browser = await signedIn(email);
    const fields = { present: PASSWORD, password: NEW_PASSWORD };
    await browser.submit(await browser.open('/account/security'), 'Change password', fields);
    expect((await browser.open(links[0] ?? '')).status).toBe(404);

    const later = await resetLinks(email);
    const [row] = await app.runtime.db.knex('account_links').where({ email, used_at: null });
    expect(row.expires_at - row.created_at).toBe(30 * 60_000);
    await app.runtime.db
      .knex('account_links')
      .where({ id: row.id })
      .update({ expires_at: row.created_at });
    expect((await browser.open(later.links.at(-1) ?? '')).status).toBe(404);
  });

  it('can be reset three times an hour, and the page does not reveal which accounts exist', async () => {
    const known = await givenAccount(app.runtime, 'owner');
    const disabled = await givenAccount(app.runtime, 'owner');
    await disableUser(app.runtime, 'test', disabled.id);
    const answers = [];
    for (const email of [known.email, 'nobody.at.all@example.com', disabled.email]) {
      for (let at = 0; at < 4; at += 1) answers.push((await resetLinks(email)).answer);
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const mailed = async (email: string) => linksMailed(app.runtime, 'password-reset', email);
    expect(await mailed(known.email)).toHaveLength(3);
    // The email says that there is no account, and has no link.
    expect(await mailed(disabled.email)).toEqual(['', '', '']);
    expect(await mailed('nobody.at.all@example.com')).toEqual(['', '', '']);
  });
});
