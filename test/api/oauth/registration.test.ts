import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { registerClient } from '../../support/oauth-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe('client registration', () => {
  it('is open to anyone and returns an id without a secret', async () => {
    const { status, headers, body } = await registerClient(app, {
      redirect_uris: ['https://agent.example/callback'],
      client_name: 'Example agent',
    });
    expect(status).toBe(201);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(body).toEqual({
      client_id: expect.stringMatching(/^cli_[0-9a-hjkmnp-tv-z]{26}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Example agent',
      redirect_uris: ['https://agent.example/callback'],
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('always creates a public client and drops unsupported fields', async () => {
    const { status, body } = await registerClient(app, {
      redirect_uris: ['https://agent.example/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['implicit', 'client_credentials'],
      response_types: ['token'],
      scope: 'openid everything',
      client_secret: 'mine',
      jwks_uri: 'http://169.254.169.254/',
      logo_uri: 'javascript:alert(1)',
      software_id: 'x',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    for (const name of ['client_secret', 'scope', 'jwks_uri', 'logo_uri', 'software_id']) {
      expect(body).not.toHaveProperty(name);
    }
  });

  it.each([
    'https://agent.example/callback',
    'https://agent.example:8443/callback?keep=this',
    'http://localhost/callback',
    'http://127.0.0.1:33418/callback',
    'http://[::1]/callback',
    'com.example.app:/callback',
    'com.example-corp.app://oauth',
    'cursor://anysphere.cursor-retrieval/oauth/user-abc/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.googleusercontent.apps.123-abc:/oauth2redirect',
  ])('accepts the redirect URI %s', async (uri) => {
    const { status, body } = await registerClient(app, { redirect_uris: [uri] });
    expect(status).toBe(201);
    expect(body.redirect_uris).toEqual([uri]);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://agent.example/x',
    'about:blank',
    'ftp://agent.example/callback',
    'mailto:a@agent.example',
    'myapp:callback',
    'myapp://callback',
    'vscode://file/etc/passwd',
    'hcp://services/subsite',
    'calculator:x',
    'onenote:x',
    'callto:x',
    'a.b:/callback',
    'uk.co:/callback',
    'myapp:/callback',
    'myapp:///callback',
    'javascript://agent.example/%0aalert(1)',
    'data://text/html,x',
    'VBScript://agent/x',
    'file://server/share',
    'view-source://agent.example/',
    'chrome-extension://abcdef/callback',
    'ms-settings://x',
    'search-ms://query',
    'intent://x',
    'blob://agent.example/x',
    'ws://agent.example/',
    'ftp://agent.example/',
    'http://agent.example/callback',
    'http://127.0.0.1.agent.example/callback',
    'http://localhost.agent.example/callback',
    'http://10.0.0.1/callback',
    'https://agent.example/callback#fragment',
    'https://user:password@agent.example/callback',
    'http://user@127.0.0.1/callback',
    'https://agent.example/\u0000',
    'https://agent.example/\\evil',
    'https://*.agent.example/callback',
    '/callback',
    '//agent.example/callback',
    'https://',
    '',
    `https://agent.example/${'x'.repeat(2_000)}`,
    42,
    null,
    ['https://agent.example/callback'],
  ])('rejects the redirect URI %j', async (uri) => {
    const { status, body } = await registerClient(app, {
      redirect_uris: ['https://agent.example/callback', uri],
    });
    expect(status).toBe(400);
    expect(['invalid_redirect_uri', 'invalid_request']).toContain(body.error);
    expect(body.error_description).toEqual(expect.any(String));
  });

  it.each([[{}], [{ redirect_uris: [] }], [{ redirect_uris: 'https://agent.example/callback' }]])(
    'rejects %j',
    async (body) => {
      const answer = await registerClient(app, { client_name: 'x', ...body });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    },
  );

  it.each(['', '   ', 'x'.repeat(101), 'a\u202eb', 'a\nb', 7, null, {}])(
    'rejects the name %j',
    async (client_name) => {
      const redirect_uris = ['https://agent.example/callback'];
      const answer = await registerClient(app, { client_name, redirect_uris });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    },
  );

  it.each(['', '[]', '"text"', '{"redirect_uris":', 'null'])(
    'rejects the body %j',
    async (text) => {
      const { status, body } = await registerClient(app, text);
      expect(status).toBe(400);
      expect(body).toEqual({
        error: expect.stringMatching(/^invalid_/),
        error_description: expect.any(String),
      });
    },
  );

  it('rejects large bodies, other content types, and other methods', async () => {
    const url = `${app.url}/api/oauth/register`;
    const large = await registerClient(app, { client_name: 'x'.repeat(30_000) });
    expect(large).toMatchObject({ status: 413, body: { error: 'invalid_request' } });
    const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
    expect(form.status).toBe(415);
    expect(await form.json()).toMatchObject({ error: 'invalid_request' });
    const get = await fetch(url);
    expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST']);
  });

  it('allows cross-origin requests, also at the versioned path', async () => {
    const preflight = await fetch(`${app.url}/api/v1/oauth/register`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://agent.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('POST');
    const response = await fetch(`${app.url}/api/v1/oauth/register`, {
      method: 'POST',
      headers: { Origin: 'https://agent.example', 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://agent.example/callback'] }),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  });
});

describe('the limit of client registrations', () => {
  it('is ten a minute per address, and is reported in headers', async () => {
    const limited = await startTestApp({ RATE_LIMITS: 'on' });
    const register = () =>
      registerClient(limited, { redirect_uris: ['https://agent.example/callback'] });
    const first = await register();
    expect(first.headers.get('RateLimit-Limit')).toBe('10');
    expect(first.headers.get('RateLimit-Remaining')).toBe('9');
    for (let count = 0; count < 9; count += 1) expect((await register()).status).toBe(201);
    const refused = await register();
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(refused.headers.get('RateLimit-Remaining')).toBe('0');
    await limited.stop();
  });
});
