import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createUser } from '../../../shared/people/users/user-account.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createTestRuntime } from '../../support/runtime.ts';

const PASSWORD = 'a long enough password';
const OPS = { email: 'ops@example.com', password: PASSWORD };
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ SESSION_HOURS: '2' });
  await createUser(app.runtime, 'test', { ...OPS, role: 'ops' });
  await createUser(app.runtime, 'test', {
    email: 'owner@example.com',
    password: PASSWORD,
    role: 'owner',
  });
});
afterAll(() => app?.stop());

const FORM = 'application/x-www-form-urlencoded';
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

function submit(fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(`${app.url}/ops/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': FORM, ...BROWSER, ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

function visit(path: string, cookie = '', headers: Record<string, string> = BROWSER) {
  return fetch(app.url + path, {
    redirect: 'manual',
    headers: { ...headers, ...(cookie && { Cookie: cookie }) },
  });
}

async function cookieOf(fields: Record<string, string> = OPS): Promise<string> {
  const answer = await submit(fields);
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const openSession = (body: unknown) =>
  fetch(`${app.url}/ops/api/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the ops sign-in page', () => {
  it('is plain HTML with a labeled form and a strict content security policy', async () => {
    const answer = await visit('/ops/sign-in');
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(page).toContain('<form method="post" action="/ops/sign-in">');
    expect(page).toContain('<label for="email">');
    expect(page).toContain('<label for="password">');
    expect(page).not.toMatch(/<script(?! src="\/assets\/)/);
    const policy = answer.headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
  });

  it('sets a session cookie that scripts and other sites cannot use', async () => {
    const answer = await submit(OPS);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('Location')).toBe('/ops');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^ops_session=[A-Za-z0-9_-]{43};/);
    expect(cookie).toMatch(/; Path=\/;/);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain('Secure');
  });

  it('sets a Secure cookie when the service uses HTTPS', async () => {
    const secure = await startTestApp({ BASE_URL: 'https://marketplace.example' });
    try {
      await createUser(secure.runtime, 'test', { ...OPS, role: 'ops' });
      const answer = await fetch(`${secure.url}/ops/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(OPS),
      });
      expect(answer.headers.getSetCookie()[0]).toContain('Secure');
    } finally {
      await secure.stop();
    }
  });

  it('returns to the requested page, but never to another site', async () => {
    const asked = await visit('/ops/queues/queue/webhooks?status=failed');
    expect(asked.status).toBe(303);
    const location = asked.headers.get('Location') ?? '';
    expect(location).toMatch(/^\/ops\/sign-in\?next=/);
    const page = await (await visit(location)).text();
    expect(page).toContain('value="/ops/queues/queue/webhooks?status=failed"');

    const next = '/ops/queues';
    expect((await submit({ ...OPS, next })).headers.get('Location')).toBe(next);
    for (const evil of [
      'https://evil.example',
      '//evil.example',
      '/ops//evil',
      '/ops/../api',
      '/opsx',
    ])
      expect((await submit({ ...OPS, next: evil })).headers.get('Location')).toMatch(/^\/ops/);
    expect((await submit({ ...OPS, next: '//evil.example' })).headers.get('Location')).toBe('/ops');
  });

  it('rejects a wrong password, an unknown address and an owner', async () => {
    const wrong = await submit({ ...OPS, password: 'wrong password' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    const wrongPage = await wrong.text();
    expect(wrongPage).toContain('role="alert"');
    expect(wrongPage).not.toContain('wrong password');

    const unknown = await submit({ email: 'nobody@example.com', password: PASSWORD });
    expect(unknown.status).toBe(401);
    const alert = /<p role="alert"[^>]*>(.*?)<\/p>/;
    expect(alert.exec(await unknown.text())?.[1]).toBe(alert.exec(wrongPage)?.[1]);

    expect((await submit({ email: 'owner@example.com', password: PASSWORD })).status).toBe(403);
  });

  it('escapes the input', async () => {
    const email = `"><script>alert(1)</script>@example.com`;
    const page = await (await submit({ email, password: 'x' })).text();
    expect(page).not.toContain('<script>');
    expect(page).toContain('&quot;&gt;&lt;script&gt;');
  });

  it('returns 4xx for invalid input', async () => {
    for (const fields of [{}, { email: OPS.email }, { ...OPS, email: 'a\u0000b@example.com' }])
      expect((await submit(fields as Record<string, string>)).status).toBe(400);
    const twice = await fetch(`${app.url}/ops/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': FORM },
      body: 'email=a&email=b&password[x]=1',
    });
    expect(twice.status).toBe(400);
    const huge = await submit({ ...OPS, next: 'x'.repeat(20_000) });
    expect(huge.status).toBe(413);
  });

  it('rejects forms from other sites', async () => {
    expect((await submit(OPS, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await submit(OPS, { 'Sec-Fetch-Site': 'same-site' })).status).toBe(403);
    expect((await submit(OPS, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await submit(OPS, { Origin: 'null' })).status).toBe(403);
    expect((await submit(OPS, { Origin: app.url })).status).toBe(303);
    expect((await submit(OPS, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303);
  });
});

describe('an ops browser session', () => {
  it('opens /ops and ends on sign-out', async () => {
    const cookie = await cookieOf();
    const landing = await visit('/ops', cookie);
    expect(landing.status).toBe(200);
    const page = await landing.text();
    expect(page).toContain('ops@example.com');
    expect(page).toContain('href="/ops/queues"');

    const out = await fetch(`${app.url}/ops/sign-out`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookie },
    });
    expect(out.headers.get('Location')).toBe('/ops/sign-in');
    expect(out.headers.getSetCookie()[0]).toContain('ops_session=;');
    expect((await visit('/ops', cookie)).status).toBe(303);
  });

  it('expires', async () => {
    const cookie = await cookieOf();
    app.runtime.clock.advance(2 * HOUR);
    expect((await visit('/ops', cookie)).status).toBe(303);
  });

  it('is ignored if the request has a bearer token', async () => {
    const cookie = await cookieOf();
    const answer = await visit('/ops/api/partners', cookie, { Authorization: 'Bearer nonsense' });
    expect(answer.status).toBe(401);
  });

  it('cannot be used by other sites', async () => {
    const Cookie = await cookieOf();
    const create = (headers: Record<string, string>) =>
      fetch(`${app.url}/ops/api/partners`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Cookie, ...headers },
        body: JSON.stringify({ name: 'Example' }),
      });
    expect((await create({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await create({ Origin: 'https://evil.example' })).status).toBe(403);
    expect((await create({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(201);
    expect((await create({ Origin: 'http://localhost:3000' })).status).toBe(201);
  });
});

describe('an ops API token', () => {
  it('grants access to the ops API until it is deleted', async () => {
    const answer = await openSession(OPS);
    expect(answer.status).toBe(201);
    const { token, expires_at } = (await answer.json()) as Record<string, string>;
    expect(new Date(expires_at ?? '').getTime()).toBeGreaterThan(app.runtime.clock.now().getTime());
    const headers = { Authorization: `Bearer ${token}` };
    const read = () => fetch(`${app.url}/ops/api/partners`, { headers });
    expect((await read()).status).toBe(200);
    const end = { method: 'DELETE', headers };
    expect((await fetch(`${app.url}/ops/api/session`, end)).status).toBe(204);
    expect((await read()).status).toBe(401);
  });

  it('is refused with an error envelope', async () => {
    const wrong = await openSession({ ...OPS, password: 'wrong password' });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({
      error: { code: 'invalid_token', request_id: expect.stringMatching(/^req_/) },
    });
    const owner = await openSession({ email: 'owner@example.com', password: PASSWORD });
    expect(owner.status).toBe(403);
    for (const body of [{}, { email: 1, password: 2 }, { ...OPS, password: 'x'.repeat(300) }])
      expect((await openSession(body)).status).toBe(400);
  });

  it('cannot belong to an owner', async () => {
    const { signIn } = await import('../../../shared/people/users/user-session.ts');
    const { token } = await signIn(app.runtime, { email: 'owner@example.com', password: PASSWORD });
    const answer = await visit('/ops/api/partners', '', { Authorization: `Bearer ${token}` });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: 'forbidden' } });
  });
});

describe('ops sign-in attempts', () => {
  it('are limited per address, for the page and the API combined', async () => {
    const limited = await startTestApp({ RATE_LIMITS: 'on', LIMIT_SIGN_IN: '3' });
    try {
      const attempt = (path: string) =>
        fetch(limited.url + path, {
          method: 'POST',
          headers: { 'Content-Type': path.endsWith('session') ? 'application/json' : FORM },
          body: path.endsWith('session')
            ? JSON.stringify({ email: 'a@example.com', password: 'x' })
            : 'email=a%40example.com&password=x',
        });
      const statuses: number[] = [];
      for (const path of ['/ops/sign-in', '/ops/api/session', '/ops/sign-in']) {
        statuses.push((await attempt(path)).status);
      }
      expect(statuses).toEqual([401, 401, 401]);
      const api = await attempt('/ops/api/session');
      expect(api.status).toBe(429);
      expect(Number(api.headers.get('Retry-After'))).toBeGreaterThan(0);
      const page = await attempt('/ops/sign-in');
      expect(page.status).toBe(429);
      expect(Number(page.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(await page.text()).toContain('role="alert"');
    } finally {
      await limited.stop();
    }
  });
});

describe('ops sign-in without Redis', () => {
  it('returns 503, because attempts cannot be limited', async () => {
    const { createApp } = await import('../../../api/app.ts');
    const { createRuntime } = await import('../../support/runtime.ts');
    const { loadConfig } = await import('../../../shared/platform/config/config.ts');
    const first = await createTestRuntime({ RATE_LIMITS: 'on' });
    const config = loadConfig({ ...first.env, REDIS_URL: 'redis://127.0.0.1:1' });
    const runtime = createRuntime(config, { process: 'test' });
    const server = createApp(runtime).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as { port: number };
      const answer = await fetch(`http://127.0.0.1:${port}/ops/api/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(OPS),
      });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).toBe('1');
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await runtime.stop();
      await first.stop();
    }
  });
});
