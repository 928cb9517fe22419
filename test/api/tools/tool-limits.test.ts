import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import {
  message,
  postMessage,
  type ToolServerAnswer,
  tokenOfNewUser,
  toolCall,
} from '../../support/tools.ts';

const PRICE = toolCall('tld_registration_price', { tld: 'com' });

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_USER_READS: '3', LIMIT_PUBLIC_READS: '2' });
  await seedTlds(app.runtime);
});
afterAll(() => app.stop());

const left = ({ headers }: ToolServerAnswer) => headers.get('RateLimit-Remaining');

describe('rate limits of the tool server', () => {
  it('count a tool like the same user’s single call', async () => {
    const token = await tokenOfNewUser(app);
    const single = await app.public.get('/pricing/tld?tld=com', { token });
    expect(single.headers.get('RateLimit-Remaining')).toBe('2');
    expect(left(await postMessage(app, PRICE, { token }))).toBe('1');
    const bad = toolCall('tld_registration_price', {});
    expect(left(await postMessage(app, bad, { token }))).toBe('0');

    const refused = await postMessage(app, PRICE, { token });
    expect(refused.status).toBe(200);
    expect(left(refused)).toBe('0');
    expect(refused.body.result.isError).toBe(true);
    expect(JSON.parse(refused.body.result.content[0].text)).toEqual({
      error: {
        code: 'rate_limited',
        message: expect.stringMatching(/^Too many requests\. Retry after \d+ s\.$/),
        request_id: refused.headers.get('X-Request-Id'),
      },
    });
    expect((await app.public.get('/pricing/tld?tld=com', { token })).status).toBe(429);
  });

  it('apply per user', async () => {
    const [mine, other] = [await tokenOfNewUser(app), await tokenOfNewUser(app)];
    expect(left(await postMessage(app, PRICE, { token: mine }))).toBe('2');
    expect(left(await postMessage(app, PRICE, { token: other }))).toBe('2');
  });

  it('return 429 to other messages and count malformed ones', async () => {
    const token = await tokenOfNewUser(app);
    expect(left(await postMessage(app, '{', { token }))).toBe('2');
    expect(left(await postMessage(app, message('ping'), { token }))).toBe('1');
    expect(left(await postMessage(app, toolCall('nothing'), { token }))).toBe('0');
    const refused = await postMessage(app, message('tools/list'), { token });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  it('apply per address without sign-in', async () => {
    const statuses: number[] = [];
    for (let call = 0; call < 3; call += 1) {
      statuses.push((await postMessage(app, message('ping'))).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });
});
