import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
import { secretsKey } from '../support/secrets-key.ts';
import { newVisitor, startSignInApp } from '../support/sign-in.ts';

/** Attacks on the person who signs in: clients under false names, and other sites. */
let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
});
afterAll(() => app.stop());

const ask = (clientId: string, more: Parameters = {}) =>
  newVisitor(app.url).open(authorizeLink(app, clientId, more).link);

describe('a client that pretends to be another (open registration)', () => {
  it.each([
    ['markup', '<script>alert(1)</script><b>Bank</b>'],
    ['quotes', `"><img src=x onerror=alert(1)>'`],
    ['entities', '&lt;b&gt;&#x3c;'],
    ['a template', '{{constructor.constructor("alert(1)")()}}#{7*7}'],
    ['a hundred letters', 'W'.repeat(100)],
  ])('has a name that is shown as text: %s', async (_what, name) => {
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
    ['letters that turn the text around', 'Bank \u202etnega'],
    ['no width', '\u200bBank'],
    ['line breaks', 'Bank\nThis app is verified'],
    ['nothing to be seen', '\u3164'],
    ['nothing but blanks', '\u00a0\u2003'],
    ['empty braille', '\u2800\u2800'],
    ['NUL', 'Bank\u0000'],
    ['half a character', 'Bank\ud800'],
    ['no text', 42],
  ])('is not registered under a name of %s', async (_what, client_name) => {
    const { status } = await registerClient(app, { client_name, redirect_uris: [REDIRECT] });
    expect(status).toBe(400);
  });

  it('can not choose its id, a secret, or what the server decides', async () => {
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

describe('the browser of the person who signs in', () => {
  it('gets another session at sign-in, so that a planted one is worth nothing', async () => {
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

  it('keeps its session through the sign-in of an attacker elsewhere (login CSRF)', async () => {
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

  it('allows nothing when another site sends the form, whatever headers it sets', async () => {
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

  it('allows nothing for an interaction of another browser, even with its own session', async () => {
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

  it('is shown every page in no frame, with no script, and leaks no address', async () => {
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

  it('signs its cookies under a key of their own', () => {
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
