import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import {
  authorizeLink,
  givenClient,
  givenCode,
  type Parameters,
  REDIRECT,
  tokenRequest,
} from '../../support/oauth-client.ts';
import {
  newVisitor,
  startSignInApp,
  type VisitedPage,
  type Visitor,
} from '../../support/sign-in.ts';

let app: TestApp;
let clientId: string;
/** A user who has already allowed the client. */
let consented: Visitor;
beforeAll(async () => {
  app = await startSignInApp();
  clientId = await givenClient(app);
  consented = (await givenCode(app, { clientId })).visitor;
});
afterAll(() => app.stop());

const ask = (more: Parameters, id = clientId) =>
  newVisitor(app.url).open(authorizeLink(app, id, more).link);
const askAgain = (more: Parameters) => consented.open(authorizeLink(app, clientId, more).link);
const expectSignIn = async (more: Parameters, id?: string) =>
  expect((await ask(more, id)).text).toContain('<h1>Sign in</h1>');

describe('OAuth metadata', () => {
  it('describes the authorization server and the API at their well-known addresses', async () => {
    const get = async (path: string) => {
      const response = await fetch(app.url + path, { headers: { Origin: 'https://a.example' } });
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      return response.json();
    };
    expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: app.url,
      authorization_endpoint: `${app.url}/oauth/authorize`,
      token_endpoint: `${app.url}/api/oauth/token`,
      registration_endpoint: `${app.url}/api/oauth/register`,
      revocation_endpoint: `${app.url}/api/oauth/revoke`,
      scopes_supported: ['pricing:read', 'domains:manage'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    });
    const resource = {
      resource: `${app.url}/api`,
      authorization_servers: [app.url],
      scopes_supported: ['pricing:read'],
      bearer_methods_supported: ['header'],
    };
    expect(await get('/.well-known/oauth-protected-resource')).toMatchObject(resource);
    expect(await get('/.well-known/oauth-protected-resource/api')).toMatchObject(resource);
  });

  it('allows GET and HEAD only', async () => {
    const url = `${app.url}/.well-known/oauth-authorization-server`;
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const refused = await fetch(url, { method: 'POST' });
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('optional parameters of an authorization request', () => {
  it('include scope, code_challenge_method, resource and state', async () => {
    await expectSignIn({ state: undefined });
  });

  it('default to the S256 method and the pricing:read scope', async () => {
    const client = await givenCode(app, { more: { code_challenge_method: undefined } });
    expect((await client.redeem()).body.scope).toBe('pricing:read');
  });

  it.each([
    ['openid profile email offline_access', 'pricing:read'],
    ['openid domains:manage', 'domains:manage'],
    ['pricing:read', 'pricing:read'],
  ])('turn the scope "%s" into "%s"', async (scope, granted) => {
    const client = await givenCode(app, { more: { scope } });
    expect((await client.redeem()).body.scope).toBe(granted);
  });

  it('accept our own resource, with or without a trailing slash', async () => {
    for (const resource of [`${app.url}/api`, `${app.url}/api/`]) {
      const client = await givenCode(app, { more: { resource } });
      expect((await client.redeem({ resource })).status).toBe(200);
    }
  });
});

/** Requests that are answered without asking the user, and the expected error. */
const ANSWERED_AT_ONCE: [string, Parameters, string][] = [
  ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['an unknown method', { code_challenge_method: 'S512' }, 'invalid_request'],
  ['no challenge', { code_challenge: undefined }, 'invalid_request'],
  ['a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['another response mode', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ['a foreign resource', { resource: 'https://other.example/api' }, 'invalid_target'],
  ['one foreign resource of two', { resource: ['https://other.example', ''] }, 'invalid_target'],
  ['an unknown scope', { scope: 'pricing:read everything' }, 'invalid_scope'],
  ['a repeated challenge', { code_challenge: ['a'.repeat(43), 'b'.repeat(43)] }, 'invalid_request'],
  ['no page to consent on', { prompt: 'none' }, 'interaction_required'],
];

describe('an authorization error for a client with consent', () => {
  it.each(ANSWERED_AT_ONCE)('is redirected to the client for %s', async (_, more, error) => {
    const { url } = await askAgain(more);
    expect(url.href.startsWith(REDIRECT)).toBe(true);
    const answer = new URLSearchParams(url.search || url.hash.slice(1));
    expect(Object.fromEntries(answer)).toMatchObject({
      error,
      state: 'the state',
      iss: app.url,
    });
    expect(answer.has('code')).toBe(false);
  });

  it('returns the state unchanged and names the issuer', async () => {
    const state = 'a b&c=d#%20"<é';
    const owner = await givenCode(app, { more: { state } });
    expect(owner.code).not.toBe('');
    const { url } = await askAgain({ state, prompt: 'none' });
    expect(url.searchParams.get('state')).toBe(state);
    expect(url.searchParams.get('iss')).toBe(app.url);
  });
});

describe('a client without consent', () => {
  const expectPage = ({ status, url, headers, text }: VisitedPage, error: string) => {
    expect([status, url.origin, headers.get('Location')]).toEqual([400, app.url, null]);
    expect(text).toContain(
      error === 'interaction_required' ? 'You have not connected this app yet' : error,
    );
  };

  it.each(ANSWERED_AT_ONCE)(
    'gets an error page instead of a redirect for %s',
    async (_, more, error) => {
      expectPage(await ask(more), error);
    },
  );

  it('gets no redirect even if the user allowed another client', async () => {
    const other = await givenClient(app, { redirectUris: ['https://evil.example/callback'] });
    const redirect_uri = 'https://evil.example/callback';
    for (const [, more, error] of ANSWERED_AT_ONCE) {
      const { link } = authorizeLink(app, other, { redirect_uri, ...more });
      expectPage(await consented.open(link), error);
    }
  });

  it('gets no redirect after its grant is revoked', async () => {
    const mine = await givenCode(app);
    const { link } = authorizeLink(app, mine.clientId, { prompt: 'none' });
    const { body } = await mine.redeem();
    expect((await mine.visitor.open(link)).url.origin).not.toBe(app.url);
    expect((await mine.revoke(body.refresh_token)).status).toBe(200);
    expectPage(await mine.visitor.open(link), 'interaction_required');
  });

  it('gets a redirect when the user cancels, and the page names the destination', async () => {
    const visitor = newVisitor(app.url);
    const page = await visitor.open(authorizeLink(app, clientId).link);
    expect(page.text).toContain('a program on this computer (127.0.0.1:4999)');
    const { url } = await visitor.press(page, 'Cancel and go back');
    expect(url.href.startsWith(`${REDIRECT}?error=access_denied`)).toBe(true);
  });
});

describe('an invalid client or redirect URI', () => {
  it.each<[string, Parameters]>([
    ['another redirect address', { redirect_uri: 'https://evil.example/callback' }],
    ['a longer redirect address', { redirect_uri: `${REDIRECT}/more` }],
    ['a redirect address with a query of its own', { redirect_uri: `${REDIRECT}?a=b` }],
    ['another loopback name', { redirect_uri: 'http://localhost:4999/callback' }],
    ['an unknown client', { client_id: 'cli_nobody' }],
    ['no client', { client_id: undefined }],
  ])('shows an error page for %s', async (_, more) => {
    const { status, url, text, headers } = await ask(more);
    expect([status, url.origin]).toEqual([400, app.url]);
    expect(headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(text).toMatch(/This sign-in request is not valid|This app is not known here/);
  });

  it('is escaped on the error page', async () => {
    const { text } = await ask({ client_id: '<script>alert(1)</script>' });
    expect(text).not.toContain('<script');
  });
});

describe('redirect URIs', () => {
  it('may be omitted if the client has only one', async () => {
    await expectSignIn({ redirect_uri: undefined });
    const two = await givenClient(app, { redirectUris: [REDIRECT, `${REDIRECT}/other`] });
    expect((await ask({ redirect_uri: undefined }, two)).status).toBe(400);
  });

  it('are rejected when given twice', async () => {
    const twice = { redirect_uri: ['https://evil.example/callback', REDIRECT] };
    const { url } = await askAgain(twice);
    expect(url.href.startsWith(`${REDIRECT}?error=invalid_request`)).toBe(true);
    expect((await ask(twice)).url.origin).toBe(app.url);
  });

  it('may use any port on loopback', async () => {
    const loopback = await givenClient(app, { redirectUris: ['http://127.0.0.1/callback'] });
    await expectSignIn({ redirect_uri: 'http://127.0.0.1:51234/callback' }, loopback);
  });

  it('must match exactly otherwise', async () => {
    const web = await givenClient(app, { redirectUris: ['https://agent.example/callback'] });
    await expectSignIn({ redirect_uri: 'https://agent.example/callback' }, web);
    for (const redirect_uri of [
      'https://agent.example:8443/callback',
      'https://agent.example/callback/',
      'https://agent.example/Callback',
      'https://AGENT.example/callback',
      'http://agent.example/callback',
    ]) {
      expect((await ask({ redirect_uri }, web)).status).toBe(400);
    }
  });

  it('may have a private-use scheme', async () => {
    const redirect_uri = 'com.example.app:/callback';
    const native = await givenClient(app, { redirectUris: [redirect_uri] });
    await expectSignIn({ redirect_uri }, native);
    const { visitor } = await givenCode(app, { clientId: native, more: { redirect_uri } });
    const { link } = authorizeLink(app, native, { redirect_uri, prompt: 'none' });
    expect((await visitor.open(link)).url.protocol).toBe('com.example.app:');
  });
});

describe('authorization requests', () => {
  it.each(['\u0000', 'cli_\u0000', '\ud800', "' or 1=1 --", 'x'.repeat(5_000), '__proto__'])(
    'are rejected for the client id %j, as are token requests',
    async (client_id) => {
      expect((await ask({ client_id })).status).toBe(400);
      const form = { grant_type: 'refresh_token', refresh_token: client_id, client_id };
      const { status, body } = await tokenRequest(app, form);
      expect([400, 401]).toContain(status);
      expect(body.error).toMatch(/^invalid_/);
    },
  );

  it('preserve any state', async () => {
    const state = `\u0000 \ud83d\ude00 ${'x'.repeat(4_000)}`;
    const { url } = await askAgain({ state, prompt: 'none' });
    expect(url.searchParams.get('state')).toBe(state);
    await expectSignIn({ state });
  });

  it('return an error page for a malformed path', async () => {
    for (const path of ['/oauth/interaction/%ZZ', '/oauth/authorize/%ZZ']) {
      const response = await fetch(app.url + path);
      expect([path, response.status]).toEqual([path, 400]);
    }
  });

  it('build no URL from the Host header or the request line', async () => {
    const { link } = authorizeLink(app, clientId);
    const { hostname, port, pathname, search } = link;
    for (const path of [pathname + search, `http://evil.example${pathname}${search}`]) {
      const location = await new Promise<string>((resolve, reject) => {
        const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' };
        request({ hostname, port, path, headers }, (response) => {
          response.resume();
          resolve(`${response.headers.location} ${response.headers['set-cookie']}`);
        })
          .on('error', reject)
          .end();
      });
      expect(location).toContain('/oauth/interaction/');
      expect(location).not.toContain('evil.example');
    }
    const { rows } = await app.runtime.db.knex.raw('select payload_sealed from oauth_browsers');
    expect(rows.length).toBeGreaterThan(0);
    for (const { payload_sealed: sealed } of rows) {
      expect(sealed.toString('latin1')).not.toContain('evil.example');
    }
  });

  it('allow GET and HEAD only, at the exact path', async () => {
    const { link } = authorizeLink(app, clientId);
    const post = await fetch(link, { method: 'POST' });
    expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(link, { method: 'HEAD', redirect: 'manual' });
    expect([head.status, await head.text()]).toEqual([303, '']);
    for (const path of ['/oauth/authorize/', '/OAuth/authorize', '/oauth', '/oauth/jwks']) {
      const response = await fetch(`${app.url}${path}${link.search}`, { redirect: 'manual' });
      expect([path, response.status]).toEqual([path, 404]);
    }
  });

  it('count as a read, and show an error page over the limit', async () => {
    const limited = await startSignInApp({ RATE_LIMITS: 'on', LIMIT_PUBLIC_READS: '2' });
    const { link } = authorizeLink(limited, await givenClient(limited));
    for (const _ of [1, 2]) expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);
    const refused = await fetch(link, { redirect: 'manual' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('Too many requests come from your network');
    await limited.stop();
  });

  it('set secure, HttpOnly cookies when the service uses HTTPS', async () => {
    const secure = await startSignInApp({ BASE_URL: 'https://market.example' });
    const id = await givenClient(secure);
    const { link } = authorizeLink(secure, id);
    const response = await fetch(link, { redirect: 'manual' });
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; secure/i);
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).toMatch(/; samesite=lax/i);
    }
    await secure.stop();
  });
});
