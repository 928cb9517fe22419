import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import type { BatchAnswer } from '../../support/public-batch.ts';
import type { TestSettings } from '../../support/settings.ts';
import { tokenOfNewUser } from '../../support/tools.ts';

const PRICE = { op: 'tld_registration_price', params: { tld: 'com' } };
const SEARCH = { op: 'search_domain', params: { q: 'kettle.com', tlds: ['com'] } };

let app: TestApp | undefined;

async function startLimited(env: TestSettings): Promise<TestApp> {
  app = await startTestApp({ RATE_LIMITS: 'on', ...env });
  await seedTlds(app.runtime);
  return app;
}
beforeEach(stop);
afterAll(stop);

async function stop(): Promise<void> {
  await app?.stop();
  app = undefined;
}

async function run({ public: client }: TestApp, operations: unknown[], token?: string) {
  const answer = await client.post('/batch', { body: { operations }, ...(token && { token }) });
  const { results = [] } = answer.body as Partial<BatchAnswer>;
  return { answer, results, statuses: results.map(({ status }) => status) };
}

describe('rate limits of a batch', () => {
  it('count one batch, and each operation in its own group', async () => {
    const limited = await startLimited({ LIMIT_PUBLIC_READS: '10' });
    const { answer, statuses } = await run(limited, [PRICE, PRICE, PRICE]);
    expect(statuses).toEqual([200, 200, 200]);
    expect(answer.headers.get('RateLimit-Policy')).toBe('30;w=60');
    expect(answer.headers.get('RateLimit-Remaining')).toBe('29');
    const single = await limited.public.get('/pricing/tld?tld=com');
    expect(single.headers.get('RateLimit-Remaining')).toBe('6');
  });

  it('return 429 for operations over their limit, and results for the earlier ones', async () => {
    const limited = await startLimited({ LIMIT_PUBLIC_READS: '2', LIMIT_PUBLIC_SEARCH: '1' });
    const { answer, results, statuses } = await run(limited, [
      PRICE,
      SEARCH,
      PRICE,
      SEARCH,
      PRICE,
      { op: 'nothing' },
    ]);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 400]);
    expect(results[4]?.body).toEqual({
      error: {
        code: 'rate_limited',
        message: expect.stringMatching(/^Too many requests\. Retry after \d+ s\.$/),
        request_id: answer.headers.get('X-Request-Id'),
      },
    });
    expect(answer.status).toBe(200);
    expect((await limited.public.get('/pricing/tld?tld=com')).status).toBe(429);
  });

  it('count operations with invalid parameters, as single calls do', async () => {
    const limited = await startLimited({ LIMIT_PUBLIC_READS: '2' });
    const bad = { op: 'tld_registration_price', params: {} };
    expect((await run(limited, [bad, PRICE, PRICE])).statuses).toEqual([400, 200, 429]);
  });

  it('reject the whole batch when no batch is left', async () => {
    const limited = await startLimited({ LIMIT_PUBLIC_BATCH: '1' });
    expect((await run(limited, [PRICE])).answer.status).toBe(200);
    const { answer } = await run(limited, [PRICE]);
    expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limited']);
    expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  it('apply per user with a token', async () => {
    const limited = await startLimited({ LIMIT_PUBLIC_READS: '1', LIMIT_USER_READS: '2' });
    const token = await tokenOfNewUser(limited);
    expect((await run(limited, [PRICE, PRICE, PRICE], token)).statuses).toEqual([200, 200, 429]);
    expect((await run(limited, [PRICE, PRICE])).statuses).toEqual([200, 429]);
  });
});
