import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenVisitor, readable } from '../../support/console.ts';

import {
  authorizeLink,
  givenClient,
  givenCode,
  type Redemption,
  tokenRequest,
} from '../../support/oauth-client.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { joinRuntime } from '../../support/runtime.ts';
import { newVisitor, signInAndAllow, startSignInApp } from '../../support/sign-in.ts';

const OTHER_PASSWORD = 'another long password';

let app: TestApp;
let ops: OpsClient;
beforeAll(async () => {
  app = await startSignInApp();
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

/** Whether the public API accepts an access token. */
const callAs = async (token: string) => {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`${app.url}/api/market/listings`, { headers })).status;
};
const tokensOf = async (client: Redemption) => (await client.redeem()).body;
const act = async (user: string, what: string, body: object = {}) => {
  const answer = await ops.post(`/users/${encodeURIComponent(user)}/${what}`, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
/** What the OAuth server asks for when a client sends the browser there. */
const askedOf = async (client: Redemption) => {
  const page = await client.visitor.open(authorizeLink(app, await givenClient(app)).link);
  return page.text.includes('name="password"') ? 'password' : 'consent';
};

/** Each change must apply from the next request on, although only Postgres knows of it. */
describe('a disabled user', () => {
  it('loses access tokens, refresh tokens, codes, sessions and password sign-in at once', async () => {
    const client = await givenCode(app);
    const { access_token, refresh_token } = await tokensOf(client);
    const unredeemed = await givenCode(app);
    expect(await callAs(access_token)).toBe(200);
    expect(await askedOf(client)).toBe('consent');

    const { id, email } = client.owner;
    expect(await act(id, 'disable')).toMatchObject({ user_id: id, grants_revoked: 1 });
    await act(unredeemed.owner.email, 'disable');

    expect(await callAs(access_token)).toBe(401);
    expect(await client.refresh(refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await unredeemed.redeem()).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await askedOf(client)).toBe('password');
    const { link } = authorizeLink(app, await givenClient(app));
    const visitor = newVisitor(app.url);
    const fields = { email, password: PASSWORD };
    const refused = await visitor.press(await visitor.open(link), 'Sign in', fields);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('This account is disabled.');
    const guess = { email, password: 'wrong password' };
    const guessed = await visitor.press(await visitor.open(link), 'Sign in', guess);
    expect(guessed.text).not.toContain('disabled');

    await act(id, 'enable');
    expect(await callAs(access_token)).toBe(401);
    expect(await askedOf(client)).toBe('password');
    const again = await signInAndAllow(newVisitor(app.url), link, email);
    expect(again.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it('loses access even if a grant was not revoked', async () => {
    const client = await givenCode(app);
    const { access_token, refresh_token } = await tokensOf(client);
    const { knex } = app.runtime.db;
    await knex('users').where({ id: client.owner.id }).update({ disabled_at: new Date() });
    expect(await callAs(access_token)).toBe(401);
    expect((await client.refresh(refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('loses the console, the ops API and the queue dashboard in every process, if on the staff', async () => {
    const colleague = await givenOps(app);
    const visitor = await givenVisitor(app);
    expect((await colleague.get('/partners')).status).toBe(200);
    expect((await visitor.visit('/partners')).status).toBe(200);

    // Another process, such as an ops command.
    const elsewhere = await joinRuntime(app.runtime);
    await elsewhere.db.knex('users').where({ email: colleague.email }).update({
      disabled_at: new Date(),
    });
    await elsewhere.stop();
    await act(visitor.email, 'disable');

    expect((await colleague.get('/partners')).status).toBe(401);
    for (const path of ['/partners', '/queues', '/do/ledger-check']) {
      const { status, headers } = await visitor.visit(path);
      expect([status, headers.get('Location')]).toEqual([
        303,
        `/ops/sign-in?next=${encodeURIComponent(`/ops${path}`)}`,
      ]);
    }
    const { email, password } = visitor;
    expect((await visitor.post('/sign-in', { email, password })).status).toBe(403);
  });

  it('cannot be the signed-in user', async () => {
    const refused = await ops.post(`/users/${ops.email}/disable`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect((await ops.get('/partners')).status).toBe(200);
  });
});

describe('setting a user’s password', () => {
  it('ends sessions and grants, and only the new password works', async () => {
    const client = await givenCode(app);
    const { access_token, refresh_token } = await tokensOf(client);
    const { email } = client.owner;
    const done = await act(email, 'set-password', { password: OTHER_PASSWORD });
    expect(done).toEqual({ user_id: client.owner.id, sessions_ended: 1, grants_revoked: 1 });
    expect(await callAs(access_token)).toBe(401);
    expect((await client.refresh(refresh_token)).status).toBe(400);
    expect(await askedOf(client)).toBe('password');

    const visitor = newVisitor(app.url);
    const { link } = authorizeLink(app, await givenClient(app));
    const old = { email, password: PASSWORD };
    expect((await visitor.press(await visitor.open(link), 'Sign in', old)).status).toBe(401);
    const fresh = { email, password: OTHER_PASSWORD };
    const page = await visitor.press(await visitor.open(link), 'Sign in', fresh);
    expect((await visitor.press(page, 'Allow')).url.searchParams.get('code')).toMatch(/./);
  });

  it('stops sign-ins that are in progress with the old one', async () => {
    const client = await givenCode(app);
    const { link } = authorizeLink(app, await givenClient(app));
    // One consent page is open, and one sign-in succeeded but did not follow its redirect.
    const consent = await client.visitor.open(link);
    const resuming = newVisitor(app.url);
    const page = await resuming.open(link);
    const action = /action="([^"]*sign-in)"/.exec(page.text)?.[1] ?? '';
    const cookies = resuming.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const signedIn = await fetch(new URL(action, app.url), {
      method: 'POST',
      redirect: 'manual',
      headers: { Origin: app.url, Cookie: cookies },
      body: new URLSearchParams({ email: client.owner.email, password: PASSWORD }),
    });
    const resume = signedIn.headers.get('Location') ?? '';
    expect(resume).toContain('/oauth/authorize/');

    await act(client.owner.email, 'set-password', { password: OTHER_PASSWORD });
    const allowed = await client.visitor.press(consent, 'Allow');
    expect(allowed.url.searchParams.get('code')).toBeNull();
    const resumed = await resuming.open(resume);
    expect(resumed.text).not.toContain('>Allow</button>');
    expect(resumed.status).toBeGreaterThanOrEqual(400);
  });

  it('leaves no session behind while the old one is being checked', async () => {
    const colleague = await givenOps(app);
    const { email, password } = colleague;
    const sessions = async () => {
      const { body } = await ops.get(`/users?email=${email}`);
      return body.users[0].sessions;
    };
    for (let round = 0; round < 3; round += 1) {
      const [entered] = await Promise.all([
        fetch(`${app.url}/ops/api/session`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ email, password: round === 0 ? password : OTHER_PASSWORD }),
        }),
        act(email, 'set-password', { password: OTHER_PASSWORD }),
      ]);
      const { token } = (await entered.json()) as { token?: string };
      // The sign-in may have come before or after the change. Either way the token is invalid now.
      const headers = { Authorization: `Bearer ${token}` };
      expect((await fetch(`${app.url}/ops/api/partners`, { headers })).status).toBe(401);
      expect(await sessions()).toBe(0);
    }
  });

  it('requires a minimum length, and the password appears in no response or audit entry', async () => {
    const { owner } = await givenCode(app);
    const refused = await ops.post(`/users/${owner.id}/set-password`, { password: 'short' });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    const { text } = await ops.post(`/users/${owner.id}/set-password`, {
      password: OTHER_PASSWORD,
    });
    expect(text).not.toContain(OTHER_PASSWORD);
    const { rows } = await app.runtime.db.knex.raw(
      'select to_jsonb(a) as row from audit_log a union all select to_jsonb(u) from users u',
    );
    expect(JSON.stringify(rows)).not.toContain(OTHER_PASSWORD);
  });
});

describe('revoking a user’s sessions', () => {
  it('ends sessions and keeps OAuth clients', async () => {
    const client = await givenCode(app);
    const { access_token } = await tokensOf(client);
    await act(client.owner.id, 'revoke-sessions');
    expect(await askedOf(client)).toBe('password');
    expect(await callAs(access_token)).toBe(200);
    const colleague = await givenOps(app);
    expect(await act(colleague.email, 'revoke-sessions')).toMatchObject({ sessions_ended: 1 });
    expect((await colleague.get('/partners')).status).toBe(401);
  });
});

describe('revoking a user’s grants', () => {
  it('can be limited to one client', async () => {
    const one = await givenCode(app);
    const first = await tokensOf(one);
    const { link, verifier } = authorizeLink(app, await givenClient(app));
    const answer = await signInAndAllow(one.visitor, link, one.owner.email);
    const client_id = link.searchParams.get('client_id') ?? '';
    const { body: second } = await tokenRequest(app, {
      grant_type: 'authorization_code',
      client_id,
      redirect_uri: link.searchParams.get('redirect_uri') ?? '',
      code: answer.searchParams.get('code') ?? '',
      code_verifier: verifier,
    });
    const revoke = (body: object) => act(one.owner.id, 'revoke-grants', body);
    expect(await revoke({ client: one.clientId })).toMatchObject({ grants_revoked: 1 });
    expect([await callAs(first.access_token), await callAs(second.access_token)]).toEqual([
      401, 200,
    ]);
    expect(await revoke({})).toMatchObject({ grants_revoked: 1 });
    expect(await callAs(second.access_token)).toBe(401);
    expect(await askedOf(one)).toBe('consent');
  });
});

describe('user pages in the console', () => {
  it('find a user, show sessions and grants, and revoke them', async () => {
    const visitor = await givenVisitor(app);
    const client = await givenCode(app);
    const { access_token } = await tokensOf(client);
    const { id, email } = client.owner;
    const found = await visitor.visit(
      `/people?email=${email.slice(0, 12)}&role=owner&status=active`,
    );
    expect(found.text).toContain(`href="/ops/people/${id}"`);
    expect(readable((await visitor.visit(`/people/${id}`)).text)).toMatch(
      /Example agent cli_\w+ pricing:read/,
    );
    const revoked = await visitor.act('grant-revoke', { user: id, client: client.clientId });
    expect(readable((await visitor.follow(revoked)).text)).toContain(
      `The client no longer has access to ${email}.`,
    );
    expect(await callAs(access_token)).toBe(401);

    const disabled = await visitor.act('user-disable', { user: id });
    const page = readable((await visitor.follow(disabled)).text);
    expect(page).toContain(`${email} is disabled.`);
    expect(page).toContain('Status Disabled');
    expect((await visitor.visit('/people?status=active')).text).not.toContain(email);
    const enabled = await visitor.act('user-enable', { user: id });
    expect(readable((await visitor.follow(enabled)).text)).toContain('is active again');
    const signedOut = await visitor.act('session-revoke-all', { user: id });
    expect(readable((await visitor.follow(signedOut)).text)).toContain('signed out everywhere');
  });

  it('set a password in a hidden field and never show it', async () => {
    const visitor = await givenVisitor(app);
    const { owner } = await givenCode(app);
    const asked = await visitor.visit(`/do/user-set-password?user=${owner.id}&password=given`);
    expect(asked.text).toMatch(/<input id="password" name="password" type="password"/);
    expect(asked.text).not.toContain('value="given"');
    const short = await visitor.act('user-set-password', { user: owner.id }, { password: 'brief' });
    expect(short.status).toBe(400);
    expect(short.text).not.toContain('brief');
    const set = await visitor.act(
      'user-set-password',
      { user: owner.id },
      { password: OTHER_PASSWORD },
    );
    expect(readable((await visitor.follow(set)).text)).toContain('has a new password');
  });
});
