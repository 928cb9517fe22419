import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseRateLimit } from 'ratelimit-header-parser';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { checkedFetch } from '../../support/public-client.ts';

const MINUTE = 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    RATE_LIMITS: 'on',
    LIMIT_PUBLIC_READS: '3',
    LIMIT_PUBLIC_SEARCH: '5',
  });
});
afterAll(() => app.stop());

/** What a third-party parser reads from a response, with a check of the reset time. */
async function standing(path: string, init?: RequestInit) {
  const before = Date.now();
  const answer = await checkedFetch(`${app.url}/api${path}`, init);
  const read = parseRateLimit(answer);
  if (!read) throw new Error('no rate limit was read');
  const { reset, ...counts } = read;
  // The parser adds whole seconds to its own clock.
  expect(reset?.getTime()).toBeGreaterThanOrEqual(before);
  expect(reset?.getTime()).toBeLessThanOrEqual(Date.now() + MINUTE);
  return { status: answer.status, ...counts };
}

describe('a stock parser of RateLimit headers', () => {
  it('reads the limit, usage and remainder until requests are rejected', async () => {
    const counts = [];
    for (let at = 0; at < 4; at += 1) counts.push(await standing('/market/listings'));
    expect(counts).toEqual([
      { status: 200, limit: 3, used: 1, remaining: 2 },
      { status: 200, limit: 3, used: 2, remaining: 1 },
      { status: 200, limit: 3, used: 3, remaining: 0 },
      { status: 429, limit: 3, used: 3, remaining: 0 },
    ]);
  });

  it('reads each limit group separately, also on errors', async () => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    expect(await standing('/domain/search', { ...init, body: '{}' })).toEqual({
      status: 400,
      limit: 5,
      used: 1,
      remaining: 4,
    });
  });
});
