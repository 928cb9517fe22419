import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.ts';
import { givenOwner } from '../support/oauth.ts';
import {
  authorizeLink,
  givenClient,
  givenCode,
  type Parameters,
  REDIRECT,
  registerClient,
} from '../support/oauth-client.ts';
import { newVisitor, signInAndAllow, startSignInApp } from '../support/sign-in.ts';

/** The attacks of RFC 9700 that our kind of server can meet. */
let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
});
afterAll(() => app.stop());

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };
const ask = (clientId: string, more: Parameters = {}) =>
  newVisitor(app.url).open(authorizeLink(app, clientId, more).link);

/** The same by somebody who has allowed the client before. */
async function askConsented(more: Parameters) {
  const { visitor, clientId } = await givenCode(app);
  return visitor.open(authorizeLink(app, clientId, more).link);
}

describe('open redirects through the authorization endpoint (4.11.2)', () => {
  it.each<[string, Parameters]>([
    ['prompt=none', { prompt: 'none' }],
    ['an unknown scope', { scope: 'x' }],
    ['an unknown response type', { response_type: 'x' }],
    ['no challenge', { code_challenge: undefined }],
    ['a repeated parameter', { state: ['a', 'b'] }],
    ['an unknown resource', { resource: 'https://evil.example/' }],
    ['an unknown prompt', { prompt: 'x' }],
    ['two prompts', { prompt: 'none login' }],
  ])('are prevented by showing our own error page: %s', async (_what, more) => {
    const redirect_uri = 'https://evil.example/phish';
    const evil = await givenClient(app, { redirectUris: [redirect_uri] });
    const signedIn = (await givenCode(app)).visitor;
    for (const visitor of [newVisitor(app.url), signedIn]) {
      const { link } = authorizeLink(app, evil, { redirect_uri, ...more });
      const page = await visitor.open(link);
      expect([page.status, page.url.origin]).toEqual([400, app.url]);
      expect(page.headers.get('Location')).toBeNull();
      expect(page.text).not.toMatch(/href="https:\/\/evil|http-equiv/);
    }
  });
});

describe('redirect URIs that nearly match the registered one (4.1)', () => {
  const WEB = 'https://agent.example/callback';
  const NEARLY = [
    'https://agent.example.evil.example/callback',
    'https://evil.example/https://agent.example/callback',
    'https://evil-agent.example/callback',
    'https://agent.example@evil.example/callback',
    'https://user@agent.example/callback',
    'https://agent.example%40evil.example/callback',
    'https://evil.example\\@agent.example/callback',
    'https://evil.example#@agent.example/callback',
    'https://agent.example/callback#fragment',
    'https://agent.example/callback#',
    'https://agent.example/callback?next=https://evil.example',
    'https://agent.example/callback?',
    'https://agent.example/callback/..',
    'https://agent.example/callback/../redirect?to=https://evil.example',
    'https://agent.example/callback%2f..%2fredirect',
    'https://agent.example/x/../callback',
    'https://agent.example/./callback',
    'https://agent.example//callback',
    'https://agent.example/callback/',
    'https://agent.example/%63allback',
    'https://agent.example/CALLBACK',
    'https://AGENT.example/callback',
    'https://agent.example./callback',
    'https://agent.example:443/callback',
    'https://agent.example:8443/callback',
    'https://agent.example/callback%00',
    'https://agent.example/callback%0d%0aSet-Cookie:a=b',
    'https://agent.example/callback\t',
    ' https://agent.example/callback',
    'https://аgent.example/callback',
    'https://xn--gent-7na.example/callback',
    'http://agent.example/callback',
    '//agent.example/callback',
    '/callback',
    'javascript:alert(1)//agent.example/callback',
    'data:text/html,x',
    'null',
  ];
  let web: string;
  beforeAll(async () => {
    web = await givenClient(app, { redirectUris: [WEB] });
  });

  it.each(NEARLY)('%j shows an error page without redirecting', async (redirect_uri) => {
    const page = await ask(web, { redirect_uri });
    expect([page.status, page.url.origin]).toEqual([400, app.url]);
    expect(page.headers.get('Location')).toBeNull();
    expect(page.text).not.toContain('href="https://');
    // Nor does a client get it as an error, which would make of us an open redirector (4.11).
    const failing = await ask(web, { redirect_uri, response_type: 'token', prompt: 'none' });
    expect([failing.status, failing.url.origin]).toEqual([400, app.url]);
  });

  it('may differ only in the port of a loopback address', async () => {
    const native = await givenClient(app, { redirectUris: ['http://127.0.0.1/callback'] });
    for (const [redirect_uri, status] of [
      ['http://127.0.0.1:50000/callback', 200],
      ['http://127.0.0.1:50000/other', 400],
      ['http://127.0.0.2:50000/callback', 400],
      ['http://127.0.0.1.evil.example:50000/callback', 400],
      ['http://127.0.0.1:50000@evil.example/callback', 400],
      ['http://localhost:50000/callback', 400],
      ['https://127.0.0.1:50000/callback', 400],
      ['http://[::1]:50000/callback', 400],
      ['http://2130706433:50000/callback', 400],
    ] as const) {
      expect([redirect_uri, (await ask(native, { redirect_uri })).status]).toEqual([
        redirect_uri,
        status,
      ]);
    }
  });

  it.each([
    'https://*.example/callback',
    'https://agent.example/callback#fragment',
    'https://user:password@agent.example/callback',
    'http://agent.example/callback',
    'http://0.0.0.0/callback',
    'http://127.0.0.1.evil.example/callback',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://agent.example/1',
    'about:blank',
    'myapp:/callback',
    'myapp://callback',
    'hcp://system',
    'calculator://x',
    'onenote://x',
    'callto://x',
    'x-apple.systempreferences:com.apple.preference',
    'microsoft.windows.camera:x',
    'cursor://anysphere.cursor-deeplink/mcp/install?name=x',
    'cursor://anysphere.cursor-mcp/oauth/callback/../../install',
    'https://agent.example/\r\nSet-Cookie: a=b',
    'https:agent.example',
    'https:/agent.example/callback',
    'https:///agent.example/callback',
    'http:127.0.0.1/callback',
    '',
  ])('%j cannot be registered', async (uri) => {
    const { status, body } = await registerClient(app, { redirect_uris: [uri] });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });
});

describe('a stolen authorization code (4.5)', () => {
  it('is useless without the verifier of the client that requested it', async () => {
    const victim = await givenCode(app);
    const attacker = await givenCode(app, { clientId: victim.clientId });
    // The attacker puts the victim's code into a sign-in of its own: the verifier is another one.
    expect(await attacker.redeem({ code: victim.code })).toMatchObject(REFUSED);
    const wrong = ['', 'short', 'x'.repeat(43), 'x'.repeat(129), attacker.code];
    for (const code_verifier of wrong) {
      expect((await victim.redeem({ code_verifier })).status).toBe(400);
    }
    expect((await victim.redeem()).status).toBe(200);
  });

  it('is useless to another client, which cannot impersonate the first', async () => {
    const victim = await givenCode(app);
    const thief = await givenClient(app);
    for (const client_id of [
      thief,
      '',
      'cli_0',
      `${victim.clientId} `,
      victim.clientId.toUpperCase(),
    ]) {
      expect((await victim.redeem({ client_id })).status).toBeGreaterThanOrEqual(400);
    }
    // A public client has no secret: an invented one is no proof of anything.
    const basic = Buffer.from(`${victim.clientId}:secret`).toString('base64');
    const answer = await fetch(`${app.url}/api/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code: victim.code }),
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect((await victim.redeem()).status).toBe(200);
  });

  it('is bound to its redirect URI', async () => {
    const victim = await givenCode(app);
    for (const redirect_uri of ['https://evil.example/', `${REDIRECT}/`, `${REDIRECT}?a=b`]) {
      expect((await victim.redeem({ redirect_uri })).status).toBe(400);
    }
    expect((await victim.redeem()).status).toBe(200);
  });
});

describe('PKCE downgrade (4.8.2)', () => {
  it.each<[string, Parameters]>([
    ['no challenge', { code_challenge: undefined }],
    ['an empty challenge', { code_challenge: '' }],
    ['plain', { code_challenge_method: 'plain' }],
    ['plain in uppercase', { code_challenge_method: 'PLAIN' }],
    ['an unknown method', { code_challenge_method: 'none' }],
    ['two methods', { code_challenge_method: ['S256', 'plain'] }],
    ['two challenges', { code_challenge: ['x'.repeat(43), 'y'.repeat(43)] }],
    ['a challenge that is too short', { code_challenge: 'abc' }],
  ])('is rejected: %s', async (_what, more) => {
    const page = await askConsented(more);
    expect(page.url.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(page.url.searchParams.get('error')).toBe('invalid_request');
    expect(page.url.searchParams.has('code')).toBe(false);
  });

  it('does not accept the challenge as its verifier', async () => {
    const client = await givenCode(app);
    const challenge = createHash('sha256').update('x'.repeat(43)).digest('base64url');
    expect((await client.redeem({ code_verifier: challenge })).status).toBe(400);
  });
});

describe('authorization responses (4.4)', () => {
  it('name their issuer on success and on error', async () => {
    const clientId = await givenClient(app);
    const owner = await givenOwner(app.runtime);
    const good = await signInAndAllow(
      newVisitor(app.url),
      authorizeLink(app, clientId).link,
      owner.email,
    );
    const bad = (await askConsented({ scope: 'no:such' })).url;
    const silent = (await askConsented({ prompt: 'none' })).url;
    for (const answer of [good, bad, silent]) {
      expect(answer.searchParams.getAll('iss')).toEqual([app.url]);
      expect(answer.searchParams.getAll('state')).toEqual(['the state']);
      expect(answer.hash).toBe('');
    }
  });

  it.each<[string, Parameters]>([
    ['tokens in the URL', { response_type: 'token' }],
    ['tokens beside the code', { response_type: 'code id_token token' }],
    ['an answer in the fragment', { response_mode: 'fragment' }],
    ['an auto-submitted form', { response_mode: 'form_post' }],
    ['an answer to another window', { response_mode: 'web_message' }],
  ])('never contain %s (2.1.2)', async (_what, more) => {
    const page = await askConsented(more);
    expect(page.url.searchParams.has('code')).toBe(false);
    // The refusal of a flow that has its answers in the fragment may be there; nothing else is.
    expect(page.url.hash).not.toMatch(/code=|token=/);
    expect(`${page.url.search}${page.url.hash}`).toMatch(
      /error=unsupported_response|error=invalid/,
    );
  });

  it('ignore request objects and request URIs', async () => {
    const client = await givenClient(app);
    const inner = { redirect_uri: 'https://evil.example/', scope: 'domains:manage' };
    const request = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(inner)).toString('base64url')}.`;
    for (const more of [
      { request },
      { request_uri: `${app.url}/request` },
      { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
      { registration: '{}' },
      { claims: '{"userinfo":{"email":null}}' },
    ]) {
      const page = await ask(client, more);
      expect([page.status, page.url.origin]).toEqual([200, app.url]);
      expect(page.text).not.toContain('evil.example');
    }
  });
});
