import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  readPasswordReset,
  requestPasswordReset,
  resetPassword,
} from '../../../shared/people/user-accounts/own-password.ts';
import { resetSecondFactor } from '../../../shared/people/user-accounts/second-factor-change.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { linksMailed } from '../../support/account-mail.ts';
import { PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import {
  authorizeLink,
  givenClient,
  givenCode,
  REDIRECT,
  type Redemption,
  tokenRequest,
} from '../../support/oauth-client.ts';
import { codeOf, givenPasskeyRow } from '../../support/second-factors.ts';
import { newVisitor, startSignInApp, type Visitor } from '../../support/sign-in.ts';
import { newPasskeyAnswer } from '../../support/software-passkey.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp({ MAIL: 'on', RATE_LIMITS: 'off' });
});
afterAll(() => app.stop());

const SECURITY = '/account/security';

/** What an unknown client sees in a browser: the sign-in page or the consent page. */
async function freshClientMeets(visitor: Visitor): Promise<'sign-in' | 'consent'> {
  const { text } = await visitor.open(authorizeLink(app, await givenClient(app)).link);
  return text.includes('name="password"') ? 'sign-in' : 'consent';
}

/** Signs the owner in on the account pages, in another browser. */
async function elsewhere({ owner }: Redemption): Promise<Visitor> {
  const visitor = newVisitor(app.url);
  const page = await visitor.open('/account/sign-in');
  await visitor.submit(page, 'Sign in', { email: owner.email, password: PASSWORD });
  return visitor;
}

async function refreshToken(client: Redemption): Promise<string> {
  return (await client.redeem()).body.refresh_token;
}

describe('signing in for an OAuth client', () => {
  it('opens the account pages with the same session', async () => {
    const client = await givenCode(app);
    const page = await client.visitor.open(SECURITY);
    expect(page.url.pathname).toBe(SECURITY);
    const { knex } = app.runtime.db;
    expect(await knex('user_sessions').where({ user_id: client.owner.id })).toHaveLength(1);
  });

  it('ends with that session: the next client needs sign-in, and open codes are revoked', async () => {
    const client = await givenCode(app);
    expect(await freshClientMeets(client.visitor)).toBe('consent');
    const page = await client.visitor.open(SECURITY);
    await client.visitor.submit(page, 'Sign out');
    expect(await freshClientMeets(client.visitor)).toBe('sign-in');
    expect((await client.redeem()).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('keeps existing client grants after sign-out', async () => {
    const client = await givenCode(app);
    const token = await refreshToken(client);
    await client.visitor.submit(await client.visitor.open(SECURITY), 'Sign out');
    expect((await client.refresh(token)).status).toBe(200);
  });

  it('requires consent again if the user signed out meanwhile', async () => {
    const client = await givenCode(app);
    const asked = await client.visitor.open(authorizeLink(app, await givenClient(app)).link);
    await client.visitor.submit(await client.visitor.open(SECURITY), 'Sign out');
    const late = await client.visitor.submit(asked, 'Allow');
    expect(late.url.searchParams.get('code')).toBeNull();
  });

  it('ends when someone else signs in, and its open codes are revoked', async () => {
    const client = await givenCode(app);
    const other = await givenCode(app);
    const page = await client.visitor.open('/account/sign-in');
    const fields = { email: other.owner.email, password: PASSWORD };
    await client.visitor.submit(page, 'Sign in', fields);
    expect(await freshClientMeets(client.visitor)).toBe('sign-in');
    expect((await client.redeem()).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('“Sign out everywhere else”', () => {
  it('ends sessions, codes and tokens of other browsers, but not this session', async () => {
    const there = await givenCode(app);
    const token = await refreshToken(there);
    const { link } = authorizeLink(app, there.clientId);
    const pending = await there.visitor.press(await there.visitor.open(link), 'Allow');
    const here = await elsewhere(there);
    await here.submit(await here.open(SECURITY), 'Sign out everywhere else');

    expect(await freshClientMeets(there.visitor)).toBe('sign-in');
    const code = pending.url.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    expect((await there.redeem({ code })).body).toMatchObject({ error: 'invalid_grant' });
    expect((await there.refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await here.open(SECURITY)).url.pathname).toBe(SECURITY);
  });

  it('keeps the clients that were allowed in this session', async () => {
    const here = await givenCode(app);
    const token = await refreshToken(here);
    await elsewhere(here);
    const { visitor } = here;
    await visitor.submit(await visitor.open(SECURITY), 'Sign out everywhere else');
    expect((await here.refresh(token)).status).toBe(200);
    expect(await freshClientMeets(visitor)).toBe('consent');
  });

  it('has the same effect on a single session that is ended', async () => {
    const there = await givenCode(app);
    const token = await refreshToken(there);
    const here = await elsewhere(there);
    await here.submit(await here.open(SECURITY), 'End');
    expect(await freshClientMeets(there.visitor)).toBe('sign-in');
    expect((await there.refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('changing the second factor', () => {
  const REFUSED = { error: 'invalid_grant' };

  /** Allows another client in a browser, signing in if needed. Returns a function that refreshes its tokens. */
  async function allowAt(visitor: Visitor, email: string, code?: string) {
    const clientId = await givenClient(app);
    const { link, verifier } = authorizeLink(app, clientId);
    let page = await visitor.open(link);
    if (page.text.includes('name="password"')) {
      page = await visitor.submit(page, 'Sign in', { email, password: PASSWORD });
      if (code !== undefined) page = await visitor.submit(page, 'Verify', { code });
    }
    const { url } = await visitor.press(page, 'Allow');
    const redeemed = await tokenRequest(app, {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      code: url.searchParams.get('code') ?? '',
    });
    const { refresh_token } = redeemed.body;
    return async () =>
      (await tokenRequest(app, { grant_type: 'refresh_token', client_id: clientId, refresh_token }))
        .body;
  }

  /** Turns on an authenticator app in a browser. Returns a function that creates its codes. */
  async function addApp(visitor: Visitor): Promise<() => string> {
    const begin = await visitor.open('/account/authenticator/new');
    const setup = await visitor.submit(begin, 'Continue', { present: PASSWORD });
    const secret = /<p><code>([A-Z2-7 ]+)<\/code>/.exec(setup.text)?.[1]?.replaceAll(' ', '') ?? '';
    await visitor.submit(setup, 'Turn on', { code: codeOf(app.runtime, secret) });
    return () => {
      app.runtime.clock.advance(30 * SECOND);
      return codeOf(app.runtime, secret);
    };
  }

  /** Adds a passkey in a browser. */
  async function addKey(visitor: Visitor): Promise<void> {
    const page = await visitor.open('/account/passkeys/new');
    const [, text = ''] = /data-options="([^"]*)"/.exec(page.text) ?? [];
    const options = JSON.parse(text.replaceAll('&quot;', '"'));
    const response = newPasskeyAnswer(options, new URL(app.runtime.config.baseUrl).origin);
    const given = { present: PASSWORD, name: 'Laptop', response };
    expect((await visitor.submit(page, 'Add passkey', given)).text).toContain('Passkey added');
  }

  /** A user with an authenticator app and two browsers, each with an allowed client. */
  async function givenTwoBrowsers() {
    const client = await givenCode(app);
    const { visitor, owner } = client;
    const mine = await allowAt(visitor, owner.email);
    const code = await addApp(visitor);
    const theirs = await allowAt(newVisitor(app.url), owner.email, code());
    return { visitor, owner, code, mine, theirs };
  }

  it.each([
    ['app', addApp],
    ['passkey', addKey],
  ])(
    'revokes clients of other sessions, but not of this one, when it is added (%s)',
    async (_factor, add) => {
      const there = await givenCode(app);
      const token = await refreshToken(there);
      const here = await elsewhere(there);
      const mine = await allowAt(here, there.owner.email);
      await add(here);
      expect((await there.refresh(token)).body).toMatchObject(REFUSED);
      expect(await mine()).toMatchObject({ access_token: expect.any(String) });
    },
  );

  it.each(['app', 'passkey'] as const)(
    'revokes clients of other sessions, but not of this one, when it is removed (%s)',
    async (factor) => {
      const { visitor, owner, code, mine, theirs } = await givenTwoBrowsers();
      if (factor === 'passkey') await givenPasskeyRow(app.runtime, owner.id);
      const page = await visitor.open(SECURITY);
      if (factor === 'app') await visitor.submit(page, 'Remove the app', { code: code() });
      else await visitor.submit(page, 'Remove');
      expect(await theirs()).toMatchObject(REFUSED);
      expect(await mine()).toMatchObject({ access_token: expect.any(String) });
    },
  );

  it('revokes all clients when staff reset it', async () => {
    const { owner, mine, theirs } = await givenTwoBrowsers();
    await resetSecondFactor(app.runtime, 'cli:test', owner.id);
    expect([await mine(), await theirs()]).toMatchObject([REFUSED, REFUSED]);
  });
});

describe('changing the password', () => {
  it('ends every session, code and token when done on the account page', async () => {
    const client = await givenCode(app);
    const token = await refreshToken(client);
    const here = await elsewhere(client);
    const password = 'quite another passphrase';
    await here.submit(await here.open(SECURITY), 'Change password', {
      present: PASSWORD,
      password,
    });
    expect(await freshClientMeets(client.visitor)).toBe('sign-in');
    expect((await client.refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
  });

  const resetByMail = async (email: string) => {
    const { runtime } = app;
    await requestPasswordReset(runtime, { email, from: { address: null, userAgent: null } });
    const [link = ''] = await linksMailed(runtime, 'password-reset', email);
    const token = new URL(link, app.url).searchParams.get('t') ?? '';
    expect(await readPasswordReset(runtime, token)).toMatchObject({ email });
    await resetPassword(runtime, { token, password: 'quite another passphrase' });
  };

  it('ends every session and code when done with an emailed link', async () => {
    const client = await givenCode(app);
    await resetByMail(client.owner.email);
    expect(await freshClientMeets(client.visitor)).toBe('sign-in');
    expect((await client.redeem()).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('ends the access and refresh tokens of connected apps when done with an emailed link', async () => {
    const client = await givenCode(app, { more: { scope: 'domains:manage' } });
    const { access_token: access, refresh_token: refresh } = (await client.redeem()).body;
    const read = async () => (await app.public.get('/domains', { token: access })).status;
    expect(await read()).toBe(200);
    await resetByMail(client.owner.email);
    expect(await read()).toBe(401);
    const refused = await client.refresh(refresh);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
  });
});
