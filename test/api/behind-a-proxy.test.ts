import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.ts';

const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://api.example.com',
  RATE_LIMITS: 'on',
  LIMIT_FAILED_SIGNATURES: '2',
};
const HTTPS = { 'X-Forwarded-Proto': 'https' };
const PATH = '/api/partner/v1/orders';

describe('in production behind a proxy that terminates TLS', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ ...PRODUCTION, TRUST_PROXY: 'loopback' });
  });
  afterAll(() => app.stop());
  const call = (path: string, headers: Record<string, string> = {}) =>
    fetch(app.url + path, { headers });

  it('rejects plain HTTP requests', async () => {
    for (const path of [PATH, '/ops/sign-in', '/nowhere']) {
      const answer = await call(path, { 'X-Forwarded-Proto': 'http' });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ error: { code: 'forbidden' } });
    }
  });

  it('serves HTTPS requests and sends HSTS', async () => {
    const answer = await call(PATH, HTTPS);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8,}/);
  });

  it('sends partners responses that browsers must not cache, frame, render or sniff', async () => {
    for (const path of [PATH, '/api/partner/nowhere']) {
      const { headers } = await call(path, HTTPS);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    }
  });

  it('allows health probes from its own network', async () => {
    expect((await call('/healthz')).status).toBe(200);
    expect((await call('/readyz')).status).toBe(200);
    const post = await fetch(`${app.url}/healthz`, { method: 'POST' });
    expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('serves no metrics, which METRICS_PORT has', async () => {
    expect((await call('/metrics', HTTPS)).status).toBe(404);
  });

  it('counts failed signatures by the client address that the proxy reports', async () => {
    const guess = (address: string) =>
      call(PATH, {
        ...HTTPS,
        // The caller's own value comes first in the header, and is not trusted.
        'X-Forwarded-For': `${randomUUID()}, ${address}`,
        'X-Service-Key-Id': 'pk_live_guess',
        'X-Service-Timestamp': String(Math.floor(app.runtime.clock.now().getTime() / 1_000)),
        'X-Service-Nonce': randomUUID(),
        'X-Service-Signature': 'v1=guess',
      });
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await guess('198.51.100.7')).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await guess('198.51.100.8')).status).toBe(401);
  });
});

describe('in production without a trusted proxy', () => {
  it('does not trust the X-Forwarded-Proto header', async () => {
    const app = await startTestApp(PRODUCTION);
    try {
      expect((await fetch(app.url + PATH, { headers: HTTPS })).status).toBe(403);
    } finally {
      await app.stop();
    }
  });
});
