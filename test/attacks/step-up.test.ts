import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import {
  beginAuthenticator,
  confirmAuthenticator,
} from '../../shared/people/users/second-factor.ts';
import type { Role } from '../../shared/people/users/user.ts';
import { signIn } from '../../shared/people/users/user-session.ts';
import { MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenPartner } from '../support/factories.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: app.runtime.clock.now().getTime(),
  });

/** Somebody with an authenticator app, signed in. */
async function givenSession(role: Role) {
  const user = await givenAccount(app.runtime, role);
  const { secret } = await beginAuthenticator(app.runtime, user);
  await confirmAuthenticator(app.runtime, user, codeOf(secret));
  app.runtime.clock.advance(30 * SECOND);
  const given = { email: user.email, password: PASSWORD, code: codeOf(secret) };
  const { token } = await signIn(app.runtime, given);
  app.runtime.clock.advance(30 * SECOND);
  const Cookie = `account_session=${token}; ops_session=${token}`;
  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    fetch(app.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie, Accept: 'text/html', ...headers },
      body: new URLSearchParams(fields),
    });
  const open = (path: string) =>
    fetch(app.url + path, { redirect: 'manual', headers: { Cookie, Accept: 'text/html' } });
  return { user, secret, send, open };
}

describe('giving the second factor again', () => {
  it.each(['/account', '/ops'] as const)(
    'is not guessed at %s, nor on the way in beside it',
    async (site) => {
      const { user, secret, send } = await givenSession('ops');
      const guess = async (code: string) => (await send(`${site}/confirm`, { code })).status;
      for (let at = 0; at < 5; at += 1) expect(await guess(`00000${at}`)).toBe(401);
      expect(await guess(codeOf(secret))).toBe(429);
      const given = { email: user.email, password: PASSWORD, code: codeOf(secret) };
      await expect(signIn(app.runtime, given)).rejects.toMatchObject({ code: 'rate_limited' });
      const failed = { subject: user.id, action: 'user:second-factor-failed' };
      expect(await app.runtime.db.knex('audit_log').where(failed)).toHaveLength(5);
    },
  );

  it('leads to our own pages alone, and opens what is dangerous for a quarter of an hour', async () => {
    const { secret, send, open } = await givenSession('ops');
    app.runtime.clock.advance(16 * MINUTE);
    const where = async (path: string) => (await open(path)).headers.get('Location');
    expect(await where('/account/passkeys/new')).toMatch(/^\/account\/confirm\?next=/);
    expect(await where('/ops/do/user-create')).toMatch(/^\/ops\/confirm\?next=/);
    for (const [site, next] of [
      ['/account', 'https://evil.example/account'],
      ['/ops', '//evil.example/ops'],
    ]) {
      const answer = await send(`${site}/confirm`, { code: codeOf(secret), next: String(next) });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('Location')).toMatch(/^\/(account|ops)/);
      app.runtime.clock.advance(30 * SECOND);
    }
    expect((await open('/account/passkeys/new')).status).toBe(200);
    expect((await open('/ops/do/user-create')).status).toBe(200);
  });

  it('is asked for before a key of a partner is made, also by whoever sends the form alone', async () => {
    const { user, send } = await givenSession('owner');
    const { partnerId } = await givenPartner(app.runtime);
    const row = { partner_id: partnerId, user_id: user.id, role: 'admin', created_at: new Date() };
    await app.runtime.db.knex('partner_members').insert(row);
    app.runtime.clock.advance(16 * MINUTE);
    const answer = await send(`/partner/${partnerId}/keys`, { scope: 'search' });
    expect(answer.headers.get('Location')).toMatch(/^\/account\/confirm\?next=/);
    expect(await app.runtime.db.knex('credentials').where({ partner_id: partnerId })).toHaveLength(
      1,
    );
  });
});

describe('the forms of passkeys and of confirmations', () => {
  const PATHS = [
    '/account/confirm',
    '/account/passkeys',
    '/account/passkeys/remove',
    '/account/sign-in/passkey',
    '/ops/confirm',
    '/ops/sign-in/passkey',
  ];

  it.each(PATHS)('%s takes nothing from another site', async (path) => {
    const { send } = await givenSession('ops');
    for (const headers of [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      expect((await send(path, {}, headers)).status).toBe(403);
    }
  });

  it('are on pages that no frame shows, that run no script of others, and that no cache keeps', async () => {
    const { open } = await givenSession('ops');
    for (const path of [
      '/account/sign-in',
      '/account/confirm',
      '/account/passkeys/new',
      '/ops/sign-in',
      '/ops/confirm',
    ]) {
      const { headers } = await open(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect([path, policy]).toEqual([path, expect.stringContaining("script-src 'self';")]);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect([path, headers.get('Cache-Control')]).toEqual([path, 'no-store']);
    }
  });

  it('say of nobody whether there is an account', async () => {
    const { user } = await givenSession('owner');
    const optionsOf = async (cookie: string) => {
      const page = await fetch(`${app.url}/account/sign-in`, { headers: { Cookie: cookie } });
      const [, options = ''] = /data-options="([^"]*)"/.exec(await page.text()) ?? [];
      return JSON.parse(options.replaceAll('&quot;', '"'));
    };
    const options = await optionsOf(`email=${user.email}`);
    expect(options.allowCredentials ?? []).toEqual([]);
    expect(JSON.stringify(options)).not.toContain(user.id);
  });
});
