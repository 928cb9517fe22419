import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listMembers } from '../../../shared/people/members/manage-members.ts';
import { linksMailed } from '../../support/account-mail.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { unique } from '../../support/factories.ts';
import { runOps } from '../../support/ops-command.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

/** Submits the form, and returns the response and the emailed links. */
async function signUp(email: string, company = 'Bluebird Domains') {
  const browser = newVisitor(app.url);
  const page = await browser.open('/account/sign-up');
  const answer = await browser.submit(page, 'Send link', { company, email });
  return { answer, links: await linksMailed(app.runtime, 'verify-email', email) };
}

async function opened(email: string) {
  const { links } = await signUp(email);
  const browser = newVisitor(app.url);
  const page = await browser.open(links.at(-1) ?? '');
  const done = await browser.submit(page, 'Open account', { password: PASSWORD });
  const [, keyId = ''] = /Key ID: <code>([^<]+)</.exec(done.text) ?? [];
  const [, secret = ''] = /Secret: <code>([^<]+)</.exec(done.text) ?? [];
  return { browser, page, done, keyId, secret };
}

describe('partner sign-up', () => {
  it('creates a partner with a working SANDBOX key, without an operator', async () => {
    const email = `founder-${unique()}@example.com`;
    const { browser, page, keyId, secret } = await opened(email);
    expect(keyId).toMatch(/^pk_sandbox_/);
    const answer = await app
      .as({ keyId, secret })
      .get('/v1/availability', { query: { domain: 'example.com' } });
    expect(answer.status).toBe(200);
    const { partner_id: partnerId } = await app.runtime.db
      .knex('credentials')
      .where({ key_id: keyId })
      .first();
    expect(await listMembers(app.runtime, partnerId)).toMatchObject([{ email, role: 'admin' }]);

    const again = await browser.submit(page, 'Open account', { password: PASSWORD });
    expect(again.status).toBe(404);
    const signIn = await browser.open('/account/sign-in');
    const home = await browser.submit(signIn, 'Sign in', { email, password: PASSWORD });
    expect(home.text).toContain('Bluebird Domains');
  });

  it('allows LIVE keys once staff approve the partner', async () => {
    const { runtime } = app;
    const { keyId } = await opened(`founder-${unique()}@example.com`);
    const { partner_id: partnerId } = await runtime.db
      .knex('credentials')
      .where({ key_id: keyId })
      .first();
    const partner = ['--partner', partnerId];
    const issue = async () =>
      runOps(runtime, [
        'credential:create',
        ...partner,
        '--environment',
        'LIVE',
        '--scopes',
        'search',
        '--json',
      ]);
    expect((await issue()).code).toBe(1);
    const approved = await runOps(runtime, ['partner:approve', ...partner, '--json']);
    expect(approved.json).toMatchObject({ partner_id: partnerId });
    expect((await runOps(runtime, ['partner:approve', ...partner, '--json'])).json).toEqual(
      approved.json,
    );
    expect((await issue()).json.key_id).toMatch(/^pk_live_/);
    expect(await runtime.db.knex('audit_log').where({ action: 'partner:approve' })).toHaveLength(1);
  });

  it('keeps the password of an existing account, and does not reveal that it exists', async () => {
    const { email } = await givenAccount(app.runtime, 'owner');
    const known = await signUp(email);
    const unknown = await signUp(`nobody-${unique()}@example.com`);
    expect(known.answer.text).toBe(unknown.answer.text);
    const browser = newVisitor(app.url);
    const page = await browser.open(known.links[0] ?? '');
    expect(page.text).not.toContain('name="password"');
    const done = await browser.submit(page, 'Open account', { password: 'an attempt to set one' });
    expect(done.text).toContain('pk_sandbox_');
    const signIn = await browser.open('/account/sign-in');
    const home = await browser.submit(signIn, 'Sign in', { email, password: PASSWORD });
    expect(home.url.pathname).toMatch(/^\/partner\/ptr_\w+\/sandbox$/);
  });

  it('limits emails to an address, requires a name, and rejects forms from other sites', async () => {
    const email = `flooded-${unique()}@example.com`;
    for (let at = 0; at < 5; at += 1) await signUp(email);
    expect((await signUp(email)).links).toHaveLength(3);
    expect((await signUp(`a-${unique()}@example.com`, '  ')).answer.status).toBe(400);
    const browser = newVisitor(app.url);
    const page = await browser.open('/account/sign-up');
    const fields = { company: 'Bluebird', email: `b-${unique()}@example.com` };
    const foreign = await browser.submit(page, 'Send link', fields, {
      Origin: 'https://evil.example',
    });
    expect(foreign.status).toBe(403);
  });

  it('escapes the company name on the page', async () => {
    const { links } = await signUp(`m-${unique()}@example.com`, '<script>alert(1)</script>');
    expect((await newVisitor(app.url).open(links[0] ?? '')).text).not.toContain('<script>');
  });
});

describe('limits of a network address', () => {
  it('cap the links emailed per day, whoever receives them', async () => {
    const limited = await startSignInApp({
      MAIL: 'on',
      RATE_LIMITS: 'on',
      LIMIT_SIGN_IN: '1000',
      limitLinkMails: 3,
    });
    try {
      const browser = newVisitor(limited.url);
      const ask = async (path: string, fields: Record<string, string>) => {
        const page = await browser.open(path);
        return (await browser.submit(page, 'Send link', fields)).status;
      };
      const email = () => `stranger-${unique()}@example.com`;
      expect(await ask('/account/sign-up', { company: 'A', email: email() })).toBe(200);
      expect(await ask('/account/join', { email: email() })).toBe(200);
      expect(await ask('/account/reset', { email: email() })).toBe(200);
      expect(await ask('/account/sign-up', { company: 'B', email: email() })).toBe(429);
      expect(await ask('/account/reset', { email: email() })).toBe(429);
      expect(await limited.runtime.db.knex('mails')).toHaveLength(3);
    } finally {
      await limited.stop();
    }
  });
});
