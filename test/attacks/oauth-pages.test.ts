import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_DANGEROUS, OAUTH_SCOPES } from '../../shared/people/oauth/access-token.ts';
import { MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { deriveKey } from '../../shared/platform/crypto/secrets.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { readable } from '../support/console.ts';
import { givenOwner } from '../support/oauth.ts';
import {
  authorizeLink,
  givenClient,
  type Parameters,
  REDIRECT,
  registerClient,
} from '../support/oauth-client.ts';
import { codeOf, givenAuthenticator, givenPasskeyRow } from '../support/second-factors.ts';
import { secretsKey } from '../support/secrets-key.ts';
import { newVisitor, startSignInApp, type VisitedPage } from '../support/sign-in.ts';

/** Attacks on the person who signs in: clients under false names, and other sites. */
let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
});
afterAll(() => app.stop());

const ask = (clientId: string, more: Parameters = {}) =>
  newVisitor(app.url).open(authorizeLink(app, clientId, more).link);

describe('an OAuth client impersonating another (open registration)', () => {
  it.each([
    ['markup', '<script>alert(1)</script><b>Bank</b>'],
    ['quotes', `"><img src=x onerror=alert(1)>'`],
    ['entities', '&lt;b&gt;&#x3c;'],
    ['a template', '{{constructor.constructor("alert(1)")()}}#{7*7}'],
    ['a hundred characters', 'W'.repeat(100)],
  ])('has its name shown as text: %s', async (_what, name) => {
    const id = await givenClient(app, { name });
    const owner = await givenOwner(app.runtime);
    const visitor = newVisitor(app.url);
    const signIn = await visitor.open(authorizeLink(app, id).link);
    const asked = await visitor.press(signIn, 'Sign in', {
      email: owner.email,
      password: PASSWORD,
    });
    for (const page of [signIn, asked]) {
      expect(page.text).not.toMatch(/<script>|<img|<b>/);
      expect(readable(page.text)).toContain(name);
    }
    // Whatever it calls itself, where the answer goes is told beside it.
    expect(readable(asked.text)).toContain('127.0.0.1:4999');
    expect(readable(asked.text)).toContain('We have not checked who is behind this app');
  });

  it.each([
    ['right-to-left override characters', 'Bank \u202etnega'],
    ['zero-width characters', '\u200bBank'],
    ['line breaks', 'Bank\nThis app is verified'],
    ['invisible characters', '\u3164'],
    ['only whitespace', '\u00a0\u2003'],
    ['empty braille', '\u2800\u2800'],
    ['NUL', 'Bank\u0000'],
    ['an unpaired surrogate', 'Bank\ud800'],
    ['a number', 42],
  ])('cannot register a name with %s', async (_what, client_name) => {
    const { status } = await registerClient(app, { client_name, redirect_uris: [REDIRECT] });
    expect(status).toBe(400);
  });

  it('cannot choose its ID, a secret or server-controlled metadata', async () => {
    const victim = await givenClient(app);
    const { body } = await registerClient(app, {
      redirect_uris: [REDIRECT],
      client_id: victim,
      client_secret: 'x',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials', 'password', 'implicit'],
      response_types: ['token'],
      scope: 'ops',
      jwks_uri: 'http://127.0.0.1/jwks',
      logo_uri: 'http://127.0.0.1/logo.png',
      sector_identifier_uri: 'http://169.254.169.254/',
      __proto__: { admin: true },
    });
    expect(body.client_id).not.toBe(victim);
    expect(body).toMatchObject({ token_endpoint_auth_method: 'none', response_types: ['code'] });
    for (const name of [
      'client_secret',
      'jwks_uri',
      'logo_uri',
      'sector_identifier_uri',
      'scope',
    ]) {
      expect(body).not.toHaveProperty(name);
    }
    const { status } = await registerClient(app, {
      redirect_uris: [REDIRECT],
      software_statement: 'x',
    });
    expect(status).toBe(201);
  });
});

describe('the browser of a user who signs in', () => {
  it('gets a new session at sign-in and adopts no planted one', async () => {
    const visitor = newVisitor(app.url);
    const owner = await givenOwner(app.runtime);
    const clientId = await givenClient(app);
    const page = await visitor.open(authorizeLink(app, clientId).link);
    const before = visitor.cookies.map(({ value }) => value);
    await visitor.press(page, 'Sign in', { email: owner.email, password: PASSWORD });
    const session = visitor.cookies.find(({ name }) => name === 'oauth_session');
    expect(session?.attributes).toMatch(/httponly/i);
    expect(session?.attributes).toMatch(/samesite=lax/i);
    expect(before).not.toContain(session?.value);

    // Nor is a session of the attacker's choosing adopted, signed or not.
    for (const Cookie of [
      'oauth_session=planted',
      `oauth_session=planted; oauth_session.sig=${'A'.repeat(27)}`,
    ]) {
      const answer = await fetch(authorizeLink(app, clientId).link, {
        redirect: 'manual',
        headers: { Cookie },
      });
      expect(answer.headers.getSetCookie().join()).not.toContain('planted');
    }
  });

  it('keeps its session when another site posts a sign-in (login CSRF)', async () => {
    const visitor = newVisitor(app.url);
    const clientId = await givenClient(app);
    const page = await visitor.open(authorizeLink(app, clientId).link);
    const attacker = await givenOwner(app.runtime);
    const fields = { email: attacker.email, password: PASSWORD };
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `${app.url}.evil.example` },
      { Origin: app.url.replace(/:\d+$/, ':1') },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site', Authorization: 'Bearer nonsense' },
    ]) {
      expect((await visitor.press(page, 'Sign in', fields, headers)).status).toBe(403);
    }
    expect(visitor.cookies.some(({ name }) => name === 'oauth_session')).toBe(false);
  });

  it('grants nothing when another site submits the consent form, whatever its headers', async () => {
    const clientId = await givenClient(app);
    const owner = await givenOwner(app.runtime);
    const visitor = newVisitor(app.url);
    const fields = { email: owner.email, password: PASSWORD };
    const page = await visitor.open(authorizeLink(app, clientId).link);
    const asked = await visitor.press(page, 'Sign in', fields);
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site', Authorization: 'Bearer x' },
      { Origin: 'https://evil.example', Authorization: 'Basic eDp5' },
      { Origin: 'null', Authorization: '' },
    ]) {
      for (const button of ['Allow', 'Deny']) {
        expect((await visitor.press(asked, button, {}, headers)).status).toBe(403);
      }
    }
    const grants = app.runtime.db.knex('oauth_grants').where({ client_id: clientId });
    expect(await grants).toEqual([]);
  });

  it('grants nothing for an interaction that started in another browser', async () => {
    const clientId = await givenClient(app);
    const [victim, attacker] = [newVisitor(app.url), newVisitor(app.url)];
    const owner = await givenOwner(app.runtime);
    const mine = await attacker.open(authorizeLink(app, clientId).link);
    const page = await victim.open(authorizeLink(app, clientId).link);
    const asked = await victim.press(page, 'Sign in', {
      email: owner.email,
      password: PASSWORD,
    });
    // The form of the attacker's interaction, sent by the victim's browser.
    const theirs = { ...asked, text: asked.text.replaceAll(asked.url.pathname, mine.url.pathname) };
    expect((await victim.press(theirs, 'Allow')).status).toBe(400);
    expect((await attacker.open(mine.url)).text).toContain('name="password"');
  });

  it('gets every page without framing, inline scripts or referrer leaks', async () => {
    const clientId = await givenClient(app);
    const owner = await givenOwner(app.runtime);
    const visitor = newVisitor(app.url);
    const signIn = await visitor.open(authorizeLink(app, clientId).link);
    const wrong = await visitor.press(signIn, 'Sign in', { email: 'x', password: 'y' });
    const asked = await visitor.press(signIn, 'Sign in', {
      email: owner.email,
      password: PASSWORD,
    });
    const lost = await newVisitor(app.url).open(signIn.url);
    const unknown = await ask('cli_nobody');
    for (const page of [signIn, wrong, asked, lost, unknown]) {
      const policy = page.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/script-src (?!'self';)|unsafe/);
      expect(page.headers.get('X-Frame-Options')).not.toBe('ALLOWALL');
      expect(page.headers.get('Referrer-Policy')).toBe('same-origin');
      expect(page.headers.get('Cache-Control')).toBe('no-store');
      expect(page.headers.get('Access-Control-Allow-Origin')).toBeNull();
    }
  });

  it('gets cookies signed with a separate key', () => {
    const key = secretsKey();
    const purposes = [
      'oauth-cookies',
      'stored-secrets',
      'token:cursor',
      'token:quote',
      'demo-passwords',
    ];
    expect(new Set(purposes.map((each) => deriveKey(key, each).toString('hex'))).size).toBe(
      purposes.length,
    );
  });
});

describe('consent when the second factor is stale or was never given', () => {
  const CONFIRM = 'Confirm it’s you';
  const MANAGE = { scope: 'pricing:read domains:manage' };
  const nextCode = (secret: string) => {
    app.runtime.clock.advance(30 * SECOND);
    return codeOf(app.runtime, secret);
  };
  const grantsTo = (clientId: string) =>
    app.runtime.db.knex('oauth_grants').where({ client_id: clientId });
  /** The page as if one of its forms led elsewhere. */
  const withForm = (page: VisitedPage, from: string, to: string): VisitedPage => ({
    ...page,
    text: page.text.replaceAll(`/${from}"`, `/${to}"`),
  });

  /** Signed in with an authenticator app, more than a quarter of an hour ago. */
  async function givenOld() {
    const owner = await givenOwner(app.runtime);
    const { secret } = await givenAuthenticator(app.runtime, owner);
    const [visitor, clientId] = [newVisitor(app.url), await givenClient(app)];
    const page = await visitor.open(authorizeLink(app, clientId).link);
    const given = { email: owner.email, password: PASSWORD };
    const asked = await visitor.press(page, 'Sign in', given);
    await visitor.submit(asked, 'Verify', { code: nextCode(secret) });
    app.runtime.clock.advance(16 * MINUTE);
    return { owner, secret, visitor, clientId };
  }

  /** Signed in by the password alone, before the account got a passkey elsewhere. */
  async function givenNever() {
    const owner = await givenOwner(app.runtime);
    const [visitor, clientId] = [newVisitor(app.url), await givenClient(app)];
    const page = await visitor.open(authorizeLink(app, clientId).link);
    await visitor.press(page, 'Sign in', { email: owner.email, password: PASSWORD });
    await givenPasskeyRow(app.runtime, owner.id);
    return { owner, visitor, clientId };
  }

  it.each([
    ['old', givenOld],
    ['never given', givenNever],
  ] as const)('(%s) asks for it before dangerous scopes only', async (_name, given) => {
    const { visitor, clientId } = await given();
    for (const scope of OAUTH_SCOPES) {
      const { text } = await visitor.open(authorizeLink(app, clientId, { scope }).link);
      expect([scope, text.includes(CONFIRM)]).toEqual([scope, IS_DANGEROUS[scope]]);
      expect([scope, text.includes('>Allow</button>')]).toEqual([scope, !IS_DANGEROUS[scope]]);
    }
    expect(IS_DANGEROUS['domains:manage']).toBe(true);
  });

  it.each([
    ['old', givenOld],
    ['never given', givenNever],
  ] as const)('(%s) grants nothing when the form is posted directly', async (_name, given) => {
    const { visitor, clientId } = await given();
    const page = await visitor.open(authorizeLink(app, clientId, MANAGE).link);
    const answer = await visitor.press(withForm(page, 'cancel', 'consent'), 'Cancel and go back');
    expect(readable(answer.text)).toContain(CONFIRM);
    expect(await grantsTo(clientId)).toEqual([]);
  });

  it('continues the same consent once it is given', async () => {
    const { owner, secret, visitor, clientId } = await givenOld();
    const page = await visitor.open(authorizeLink(app, clientId, MANAGE).link);
    const wrong = await visitor.submit(page, 'Verify', { code: '000000' });
    expect(wrong.status).toBe(401);
    expect(readable(wrong.text)).toContain('This code is not right.');
    const asked = await visitor.submit(wrong, 'Verify', { code: nextCode(secret) });
    expect(asked.url.pathname).toBe(page.url.pathname);
    for (const words of [owner.email, 'See prices', 'Manage your domains']) {
      expect(readable(asked.text)).toContain(words);
    }
    const { searchParams } = (await visitor.press(asked, 'Allow')).url;
    expect(searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    expect(searchParams.get('state')).toBe('the state');
    // The session is the one of people's own pages, and fresh there too.
    expect((await visitor.open('/account/passkeys/new')).url.pathname).toBe(
      '/account/passkeys/new',
    );
  });

  it('asks again when it becomes stale on the consent page', async () => {
    const { secret, visitor, clientId } = await givenOld();
    const page = await visitor.open(authorizeLink(app, clientId, MANAGE).link);
    const asked = await visitor.submit(page, 'Verify', { code: nextCode(secret) });
    app.runtime.clock.advance(16 * MINUTE);
    const refused = await visitor.press(asked, 'Allow');
    expect(readable(refused.text)).toContain(CONFIRM);
    expect(await grantsTo(clientId)).toEqual([]);
    const again = await visitor.submit(refused, 'Verify', { code: nextCode(secret) });
    expect(again.url.pathname).toBe(page.url.pathname);
    expect((await visitor.press(again, 'Allow')).url.searchParams.has('code')).toBe(true);
  });

  it('can be canceled or switched to another account without it', async () => {
    const { visitor, clientId } = await givenNever();
    const page = await visitor.open(authorizeLink(app, clientId, MANAGE).link);
    const form = await visitor.open(`${page.url.pathname}?account=other`);
    expect(form.text).toContain('name="password"');
    const { searchParams } = (await visitor.press(page, 'Cancel and go back')).url;
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([
      'access_denied',
      'the state',
    ]);
  });

  it('cannot be confirmed by guessing, by another site or before sign-in', async () => {
    const { owner, secret, visitor, clientId } = await givenOld();
    const page = await visitor.open(authorizeLink(app, clientId, MANAGE).link);
    const evil = { Origin: 'https://evil.example' };
    const code = nextCode(secret);
    expect((await visitor.submit(page, 'Verify', { code }, evil)).status).toBe(403);
    for (let at = 0; at < 5; at += 1) {
      expect((await visitor.submit(page, 'Verify', { code: `00000${at}` })).status).toBe(401);
    }
    expect((await visitor.submit(page, 'Verify', { code })).status).toBe(429);
    const failed = { user_id: owner.id, reason: 'code', address: '127.0.0.1' };
    expect(await app.runtime.db.knex('sign_in_failures').where(failed)).toHaveLength(5);

    const stranger = newVisitor(app.url);
    const start = await stranger.open(authorizeLink(app, clientId, MANAGE).link);
    const form = withForm(start, 'cancel', 'confirm');
    expect((await stranger.press(form, 'Cancel and go back', { code })).status).toBe(400);
  });

  it('restarts the same request when the code is too late', async () => {
    const { visitor, clientId } = await givenOld();
    const page = await visitor.open(authorizeLink(app, clientId, MANAGE).link);
    app.runtime.clock.advance(31 * MINUTE);
    const again = await visitor.submit(page, 'Verify', { code: '000000' });
    expect(readable(again.text)).toContain(CONFIRM);
    expect(again.url.pathname).not.toBe(page.url.pathname);
  });
});
