import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { checkedFetch } from '../../support/public-client.ts';

const LIMITED = { RATE_LIMITS: 'on' };

function standing(answer: Response) {
  const names = ['Limit', 'Remaining', 'Reset', 'Policy'];
  return names.map((name) => answer.headers.get(`RateLimit-${name}`));
}

describe('an unknown public path', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(LIMITED);
  });
  afterAll(() => app.stop());

  it.each(['/api//', '/api/nothing', '/api/v1/nothing', '/api/v1/v1', '/api/v1/v1/nothing'])(
    '%s returns 404 in the error envelope, with rate limit headers',
    async (path) => {
      const answer = await checkedFetch(app.url + path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
      expect(standing(answer)).toEqual([
        '120',
        expect.stringMatching(/^\d+$/),
        expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
        '120;w=60',
      ]);
    },
  );

  it('gets the 404 response of the partner API below /api/partner', async () => {
    const answer = await checkedFetch(`${app.url}/api/partner/nothing`);
    expect(answer.status).toBe(404);
    expect(standing(answer)).toEqual([null, null, null, null]);
  });
});

describe('public rate limits', () => {
  it('return 429 with Retry-After when they are exceeded', async () => {
    const app = await startTestApp({ ...LIMITED, LIMIT_PUBLIC_READS: '2' });
    try {
      const left: (string | null)[] = [];
      for (let call = 0; call < 2; call += 1) {
        left.push(
          (await checkedFetch(`${app.url}/api/nothing`)).headers.get('RateLimit-Remaining'),
        );
      }
      expect(left).toEqual(['1', '0']);
      const answer = await checkedFetch(`${app.url}/api/v1/nothing`);
      expect(answer.status).toBe(429);
      expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited' } });
      expect(standing(answer)).toEqual(['2', '0', answer.headers.get('Retry-After'), '2;w=60']);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    } finally {
      await app.stop();
    }
  });

  it('are counted in the process when Redis is down', async () => {
    const redis = await startOwnRedis();
    const app = await startTestApp({
      ...LIMITED,
      LIMIT_PUBLIC_READS: '2',
      REDIS_URL: redis.url,
    });
    try {
      await redis.kill();
      const statuses: number[] = [];
      for (let call = 0; call < 3; call += 1) {
        statuses.push((await checkedFetch(`${app.url}/api/nothing`)).status);
      }
      expect(statuses).toEqual([404, 404, 429]);
    } finally {
      // Connections close cleanly only while Redis is up.
      await redis.start();
      await app.runtime.ready();
      await app.stop();
      await redis.remove();
    }
  });
});

describe('cross-origin requests', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(LIMITED);
  });
  afterAll(() => app.stop());

  it('can be preflighted for free, with an authorization header and a JSON body', async () => {
    const answer = await checkedFetch(`${app.url}/api/market/listings`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, content-type',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Allow-Headers')).toMatch(
      /Authorization.*Content-Type/,
    );
    expect(answer.headers.get('RateLimit-Limit')).toBeNull();
  });

  it('can read the rate limit headers', async () => {
    const answer = await checkedFetch(`${app.url}/api/market/listings`);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('RateLimit-Remaining');
  });
});

describe('an invalid bearer token', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(LIMITED);
  });
  afterAll(() => app.stop());

  it.each(['Bearer unknown', 'Bearer', 'Bearer a b', 'Basic dXNlcjpwYXNz', 'token'])(
    '(%s) is rejected even on optional sign-in, with a WWW-Authenticate header',
    async (authorization) => {
      const answer = await checkedFetch(`${app.url}/api/market/listings`, {
        headers: { Authorization: authorization },
      });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ error: { code: 'invalid_token' } });
      expect(answer.headers.get('WWW-Authenticate')).toBe(
        `Bearer resource_metadata="${app.runtime.config.baseUrl}/.well-known/oauth-protected-resource", error="invalid_token"`,
      );
      expect(answer.headers.get('RateLimit-Limit')).toBe('120');
    },
  );
});
