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
    '%s is 404 in the error envelope, with the standing of the caller',
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

  it('below /api/partner stays an answer of the partner API', async () => {
    const answer = await checkedFetch(`${app.url}/api/partner/nothing`);
    expect(answer.status).toBe(404);
    expect(standing(answer)).toEqual([null, null, null, null]);
  });
});

describe('public limits', () => {
  it('refuse with 429 what is over the limit, and say when to come back', async () => {
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

  it('count in the process while Redis is away', async () => {
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
      // The connections end cleanly only where they stand.
      await redis.start();
      await app.runtime.ready();
      await app.stop();
      await redis.remove();
    }
  });
});

describe('a page of another origin', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(LIMITED);
  });
  afterAll(() => app.stop());

  it('may ask before it sends a token or a body, and that costs nothing', async () => {
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

  it('may read how the caller stands', async () => {
    const answer = await checkedFetch(`${app.url}/api/market/listings`);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('RateLimit-Remaining');
  });
});

describe('a bearer token that does not hold', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp(LIMITED);
  });
  afterAll(() => app.stop());

  it.each(['Bearer unknown', 'Bearer', 'Bearer a b', 'Basic dXNlcjpwYXNz', 'token'])(
    '(%s) is refused even where none is needed, and names the fault and the way in',
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
