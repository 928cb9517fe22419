import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actionForms } from '../../api/ops/console/forms/action-forms.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { accountCommands } from '../../api/pages/account/account-site.ts';
import { COMMANDS } from '../../api/pages/partner/site-command.ts';
import { siteCommands } from '../../api/pages/partner/site-router.ts';
import {
  addOwnPasskey,
  confirmOwnAuthenticator,
  removeOwnAuthenticator,
  removeOwnPasskey,
  resetSecondFactor,
} from '../../shared/people/user-accounts/second-factor-change.ts';
import { revokeSessions } from '../../shared/people/user-accounts/user-access.ts';
import { beginAuthenticator } from '../../shared/people/users/own-authenticator.ts';
import { beginPasskey } from '../../shared/people/users/passkey.ts';
import { hasSecondFactor } from '../../shared/people/users/second-factor.ts';
import type { Role } from '../../shared/people/users/user.ts';
import {
  beginSignIn,
  findSession,
  finishSignIn,
  type OwnSession,
  signIn,
  signOut,
} from '../../shared/people/users/user-session.ts';
import { MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenCredential, givenPartner } from '../support/factories.ts';
import {
  codeOf as appCode,
  givenAuthenticator,
  givenPasskeyRow,
  givenProvenSession,
} from '../support/second-factors.ts';
import { newPasskeyAnswer } from '../support/software-passkey.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ RATE_LIMITS: 'off' });
});
afterAll(() => app?.stop());

const codeOf = (secret: string) => appCode(app.runtime, secret);

/** Somebody with an authenticator app, signed in. */
async function givenSession(role: Role) {
  const user = await givenAccount(app.runtime, role);
  const { secret } = await givenAuthenticator(app.runtime, user);
  app.runtime.clock.advance(30 * SECOND);
  const given = { email: user.email, password: PASSWORD, code: codeOf(secret) };
  const { token } = await signIn(app.runtime, given);
  app.runtime.clock.advance(30 * SECOND);
  return { user, secret, token, ...browserOf(token) };
}

/** Somebody who signed in by the password alone, and got a passkey on another device since. */
async function givenOldSession(role: Role) {
  const { user, token, ...browser } = await givenPasswordSession(role);
  await givenPasskeyRow(app.runtime, user.id);
  return { user, token, ...browser };
}

/** Somebody without a second factor, signed in. */
async function givenPasswordSession(role: Role) {
  const user = await givenAccount(app.runtime, role);
  const { token } = await signIn(app.runtime, { email: user.email, password: PASSWORD });
  return { user, token, ...browserOf(token) };
}

function browserOf(token: string) {
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
  return { send, open };
}

describe('confirming the second factor', () => {
  it.each(['/account', '/ops'] as const)(
    'cannot be guessed at %s or, after that, at sign-in',
    async (site) => {
      const { user, secret, send } = await givenSession('ops');
      const guess = async (code: string) => (await send(`${site}/confirm`, { code })).status;
      for (let at = 0; at < 5; at += 1) expect(await guess(`00000${at}`)).toBe(401);
      expect(await guess(codeOf(secret))).toBe(429);
      const given = { email: user.email, password: PASSWORD, code: codeOf(secret) };
      await expect(signIn(app.runtime, given)).rejects.toMatchObject({ code: 'rate_limited' });
      const failed = { user_id: user.id, reason: 'code' };
      expect(await app.runtime.db.knex('sign_in_failures').where(failed)).toHaveLength(5);
      const answer = { passkey_ticket: 'of nobody', response: '{"id":"unknown"}' };
      expect((await send(`${site}/confirm`, answer)).status).toBe(401);
      const refused = { ...failed, reason: 'passkey' };
      expect(await app.runtime.db.knex('sign_in_failures').where(refused)).toHaveLength(1);
    },
  );

  it('redirects only to our own pages and allows dangerous actions for 15 minutes', async () => {
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

  it('is required before creating a partner key, also when the form is posted directly', async () => {
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

describe('a session that never gave its account’s second factor', () => {
  it.each([
    ['/ops/do/user-create', 'ops', '/ops/confirm'],
    ['/account/passkeys/new', 'owner', '/account/confirm'],
    ['/account/authenticator/new', 'owner', '/account/confirm'],
  ] as const)('is asked for it at %s', async (path, role, confirm) => {
    const { open } = await givenOldSession(role);
    const answer = await open(path);
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      expect.stringContaining(`${confirm}?next=`),
    ]);
  });

  it('is rejected by the ops API', async () => {
    const { token } = await givenOldSession('ops');
    const answer = await fetch(`${app.url}/ops/api/payouts/x/send`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(403);
  });

  it('cannot enroll a factor, even with the password', async () => {
    const { user, send } = await givenOldSession('owner');
    for (const path of ['/account/authenticator', '/account/passkeys']) {
      const answer = await send(path, { present: PASSWORD, name: 'Mine' });
      expect(answer.headers.get('Location')).toMatch(/^\/account\/confirm\?next=/);
    }
    expect(await app.runtime.db.knex('user_authenticators').where({ user_id: user.id })).toEqual(
      [],
    );
  });
});

describe('staff with a stale or missing second factor', () => {
  const sessions = [
    ['old', 'old'],
    ['never given', 'never'],
  ] as const;
  const givenStale = async (kind: 'old' | 'never') => {
    if (kind === 'never') return givenOldSession('ops');
    const session = await givenSession('ops');
    app.runtime.clock.advance(16 * MINUTE);
    return session;
  };

  it.each(sessions)('(%s) cannot call any dangerous route of the ops API', async (_name, kind) => {
    const { token } = await givenStale(kind);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    for (const { method, path, dangerous } of opsRoutes) {
      const url = `${app.url}/ops/api${path.replace(/:\w+/g, 'x')}`;
      const { status } = await fetch(url, {
        method,
        headers,
        ...(method === 'POST' && { body: '{}' }),
      });
      expect([method, path, status === 403]).toEqual([method, path, dangerous]);
    }
  });

  it.each(sessions)('(%s) are sent to confirm by each dangerous form', async (_name, kind) => {
    const { open, send } = await givenStale(kind);
    const dangerous = new Map(opsRoutes.map((each) => [each.action.name, each.dangerous]));
    for (const [name, { action }] of actionForms()) {
      for (const answer of [await open(`/ops/do/${name}`), await send(`/ops/do/${name}`, {})]) {
        const asked = /^\/ops\/confirm\?next=/.test(answer.headers.get('Location') ?? '');
        expect([name, asked]).toEqual([name, dangerous.get(action.name)]);
      }
    }
    expect(await (await open('/ops/listings/import')).text()).not.toContain('type="file"');
    expect((await send('/ops/listings/import', {})).status).toBe(403);
  });

  it.each(sessions)('(%s) can read the queues but not change them', async (_name, kind) => {
    const { open, token } = await givenStale(kind);
    expect((await open('/ops/queues/api/queues')).status).toBe(200);
    for (const change of ['pause', 'resume', 'empty', 'retry/failed', 'promote', 'clean/failed']) {
      const answer = await fetch(`${app.url}/ops/queues/api/queues/webhooks/${change}`, {
        method: 'PUT',
        headers: { Cookie: `ops_session=${token}` },
      });
      expect([change, answer.status]).toEqual([change, 403]);
    }
    const trail = await app.runtime.db.knex('audit_log').where({ action: 'queues:change' });
    expect(trail).toEqual([]);
  });

  it('need no confirmation to end something, send it again or add a note', () => {
    const changes = opsRoutes.filter(({ method, dangerous }) => method === 'POST' && !dangerous);
    expect(changes.map(({ action }) => action.name).sort()).toEqual([
      'checkout:decline',
      'credential:revoke',
      'grant:revoke',
      'listing:delist',
      'mail:allow',
      'mail:resend',
      'mail:suppress',
      'offer:decline',
      'order:check',
      'order:check-code',
      'partner:suspend',
      'refund:decline',
      'registry:mark-message-read',
      'session:revoke-all',
      'webhook:cancel-replay',
      'webhook:replay',
      'webhook:resend',
      'webhook:test',
    ]);
  });

  it('need no confirmation to read', () => {
    const asked = opsRoutes.filter(({ method, dangerous }) => method === 'GET' && dangerous);
    expect(asked).toEqual([]);
  });
});

describe('a member or owner with a stale or missing second factor', () => {
  const kinds = ['old', 'never given'] as const;
  const givenStale = async (kind: (typeof kinds)[number]) => {
    if (kind === 'never given') return givenOldSession('owner');
    const session = await givenSession('owner');
    app.runtime.clock.advance(16 * MINUTE);
    return session;
  };
  const asksFirst = (answer: Response) =>
    /^\/account\/confirm\?next=/.test(answer.headers.get('Location') ?? '');
  const filled = (path: string) => path.replace(/:op\b/, 'lock').replace(/:\w+/g, 'x');

  it.each(kinds)('(%s) must confirm before each dangerous command', async (kind) => {
    const { user, send } = await givenStale(kind);
    const { partnerId } = await givenPartner(app.runtime);
    const member = { partner_id: partnerId, user_id: user.id, role: 'admin' };
    await app.runtime.db.knex('partner_members').insert({ ...member, created_at: new Date() });
    for (const environment of ['sandbox', 'live']) {
      for (const { name, path } of siteCommands) {
        const { dangerous } = COMMANDS[name];
        const wanted = dangerous === 'in LIVE' ? environment === 'live' : dangerous;
        const answer = await send(`/partner/${partnerId}/${environment}${filled(path)}`, {});
        expect([environment, name, asksFirst(answer)]).toEqual([environment, name, wanted]);
      }
    }
    const key = await givenCredential(app.runtime, partnerId, { environment: 'LIVE' });
    for (const verb of ['create', 'change', 'rotate', 'revoke'] as const) {
      const path = verb === 'create' ? '' : `/${key.keyId}/${verb}`;
      const answer = await send(`/partner/${partnerId}/keys${path}`, { scope: 'search' });
      const { dangerous } = COMMANDS[`key-${verb}`];
      expect([verb, asksFirst(answer)]).toEqual([verb, dangerous]);
    }
    for (const { path, dangerous } of accountCommands) {
      const answer = await send(`/account${filled(path)}`, {});
      expect([path, asksFirst(answer)]).toEqual([path, dangerous]);
    }
  });

  it('returns to the page of the form after confirming', async () => {
    const { user, send } = await givenStale('never given');
    const { partnerId } = await givenPartner(app.runtime);
    const member = { partner_id: partnerId, user_id: user.id, role: 'admin' };
    await app.runtime.db.knex('partner_members').insert({ ...member, created_at: new Date() });
    const site = `/partner/${partnerId}`;
    for (const [path, page] of [
      [`${site}/live/team/invite`, `${site}/live/team`],
      [`${site}/live/webhooks/x/rotate`, `${site}/live/webhooks/x`],
      [`${site}/keys/pk_live_x/change`, `${site}/keys/pk_live_x`],
      ['/account/bulk/lock/start', '/account/bulk/lock'],
      ['/account/domains/x.com/transfer/code', '/account/domains/x.com/transfer'],
      ['/account/passkeys/remove', '/account/security'],
      ['/account/domains/x.com/registrant/change', '/account/domains/x.com/registrant'],
    ] as const) {
      const location = (await send(path, {})).headers.get('Location');
      expect(location).toBe(`/account/confirm?next=${encodeURIComponent(page)}`);
    }
  });

  it('must confirm the commands that give access to keys', () => {
    const ways = [
      'key-create',
      'key-change',
      'key-rotate',
      'member-invite',
      'member-role',
      'second-factor-rule',
    ] as const;
    for (const name of ways) expect([name, COMMANDS[name].dangerous]).toEqual([name, true]);
  });
});

describe('a second factor', () => {
  const factorsOf = async (userId: string) =>
    (
      await app.runtime.db
        .knex('user_authenticators')
        .where({ user_id: userId })
        .whereNotNull('confirmed_at')
    ).length;

  it('needs the password when the account has no factor yet', async () => {
    const { user, send, open } = await givenPasswordSession('owner');
    for (const present of ['', 'not the password']) {
      expect((await send('/account/authenticator', { present })).status).toBe(400);
    }
    expect((await open('/account/authenticator')).status).toBe(409);
    const answer = await send('/account/authenticator', { present: PASSWORD });
    expect(answer.headers.get('Location')).toBe('/account/authenticator');
    expect(await factorsOf(user.id)).toBe(0);
  });

  it('cannot be confirmed by another session or after 15 minutes while being set up', async () => {
    const { user, send, open } = await givenPasswordSession('owner');
    const thief = browserOf(
      (await signIn(app.runtime, { email: user.email, password: PASSWORD })).token,
    );
    await send('/account/authenticator', { present: PASSWORD });
    const page = await (await open('/account/authenticator')).text();
    const secret = /<p><code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]?.replaceAll(' ', '') ?? '';
    expect((await thief.open('/account/authenticator')).status).toBe(409);
    const confirm = '/account/authenticator/confirm';
    expect((await thief.send(confirm, { code: codeOf(secret) })).status).toBe(409);
    app.runtime.clock.advance(16 * MINUTE);
    expect((await send(confirm, { code: codeOf(secret) })).status).toBe(409);
    expect(await factorsOf(user.id)).toBe(0);
  });

  it('ends the other sessions when it is added or removed', async () => {
    const { user, send, open } = await givenPasswordSession('owner');
    const given = { email: user.email, password: PASSWORD };
    const isIn = async (browser: ReturnType<typeof browserOf>) =>
      (await browser.open('/account/security')).status === 200;
    const before = browserOf((await signIn(app.runtime, given)).token);
    await send('/account/authenticator', { present: PASSWORD });
    const page = await (await open('/account/authenticator')).text();
    const secret = /<p><code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]?.replaceAll(' ', '') ?? '';
    expect(await isIn(before)).toBe(true);
    await send('/account/authenticator/confirm', { code: codeOf(secret) });
    expect([await isIn(before), await isIn({ send, open })]).toEqual([false, true]);
    // Whoever has just shown it is not asked again.
    expect((await open('/account/passkeys/new')).status).toBe(200);

    app.runtime.clock.advance(30 * SECOND);
    const again = browserOf((await signIn(app.runtime, { ...given, code: codeOf(secret) })).token);
    app.runtime.clock.advance(30 * SECOND);
    expect(await isIn(again)).toBe(true);
    await send('/account/authenticator/remove', { code: codeOf(secret) });
    expect([await isIn(again), await isIn({ send, open })]).toEqual([false, true]);

    const ticket = await beginSignIn(app.runtime, given);
    expect('token' in ticket).toBe(true);
  });

  it('also ends a pending sign-in when another factor is removed', async () => {
    const { user, secret, send } = await givenSession('owner');
    const step = await beginSignIn(app.runtime, { email: user.email, password: PASSWORD });
    if ('token' in step) throw new Error('the password was enough');
    const passkey = await givenPasskeyRow(app.runtime, user.id);
    const removed = await send('/account/passkeys/remove', { id: passkey });
    expect(removed.headers.get('Location')).toBe('/account/security?done=passkey-removed');
    const proof = { code: codeOf(secret) };
    await expect(finishSignIn(app.runtime, { ...step, proof })).rejects.toMatchObject({
      code: 'invalid_token',
    });
  });

  it('leaves no session or passkey when staff reset it', async () => {
    const { user, open } = await givenSession('owner');
    await givenPasskeyRow(app.runtime, user.id);
    await resetSecondFactor(app.runtime, 'cli:test', user.id);
    expect((await open('/account/security')).headers.get('Location')).toMatch(/sign-in\?next=/);
    expect(await app.runtime.db.knex('user_passkeys').where({ user_id: user.id })).toEqual([]);
  });
});

describe('a session that ended after its confirmation', () => {
  const ended = { code: 'invalid_token' };
  const ways = {
    'is signed out': ({ token }: OwnSession) => signOut(app.runtime, token),
    'ends with all others': ({ user }: OwnSession) =>
      revokeSessions(app.runtime, 'cli:test', user.id),
  };

  it.each(Object.entries(ways))('cannot add an authenticator app (%s)', async (_way, end) => {
    const user = await givenAccount(app.runtime, 'owner');
    const session = await givenProvenSession(app.runtime, user);
    const { secret } = await beginAuthenticator(app.runtime, session);
    await end(session);
    const confirmed = confirmOwnAuthenticator(app.runtime, session, codeOf(secret));
    await expect(confirmed).rejects.toMatchObject(ended);
    expect(await hasSecondFactor(app.runtime, user.id)).toBe(false);
  });

  it.each(Object.entries(ways))('cannot add a passkey (%s)', async (_way, end) => {
    const user = await givenAccount(app.runtime, 'owner');
    const session = await givenProvenSession(app.runtime, user);
    const { options, ticket } = await beginPasskey(app.runtime, session.user);
    const response = newPasskeyAnswer(options, new URL(app.runtime.config.baseUrl).origin);
    await end(session);
    const added = addOwnPasskey(app.runtime, session, { ticket, response, name: 'Laptop' });
    await expect(added).rejects.toMatchObject(ended);
    expect(await hasSecondFactor(app.runtime, user.id)).toBe(false);
  });

  it.each(Object.entries(ways))('cannot remove an authenticator app (%s)', async (_way, end) => {
    const { user, secret, token } = await givenSession('owner');
    const holder = await findSession(app.runtime, token);
    if (!holder) throw new Error('the session is not open');
    const session = { user: holder, token };
    await end(session);
    const given = { code: codeOf(secret), from: { address: null, userAgent: null } };
    const removed = removeOwnAuthenticator(app.runtime, session, given);
    await expect(removed).rejects.toMatchObject(ended);
    expect(await hasSecondFactor(app.runtime, user.id)).toBe(true);
  });

  it.each(Object.entries(ways))('cannot remove a passkey (%s)', async (_way, end) => {
    const user = await givenAccount(app.runtime, 'owner');
    const session = await givenProvenSession(app.runtime, user);
    const passkey = await givenPasskeyRow(app.runtime, user.id);
    await end(session);
    const given = { ...session.user, secondFactorAt: app.runtime.clock.now() };
    const removed = removeOwnPasskey(app.runtime, { ...session, user: given }, passkey);
    await expect(removed).rejects.toMatchObject(ended);
    expect(await hasSecondFactor(app.runtime, user.id)).toBe(true);
  });
});

describe('passkey and confirmation forms', () => {
  const PATHS = [
    '/account/confirm',
    '/account/passkeys',
    '/account/passkeys/remove',
    '/account/sign-in/passkey',
    '/ops/confirm',
    '/ops/sign-in/passkey',
  ];

  it.each(PATHS)('%s rejects cross-site requests', async (path) => {
    const { send } = await givenSession('ops');
    for (const headers of [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      expect((await send(path, {}, headers)).status).toBe(403);
    }
  });

  it('forbid framing, third-party scripts and caching', async () => {
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

  it('do not reveal whether an account exists', async () => {
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
