import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashTagPrefix } from '../../../shared/platform/redis/redis.ts';
import { createClickBuffer } from '../../../shared/sales/referral/click-buffer.ts';
import { verifyClick } from '../../../shared/sales/referral/click-cookie.ts';
import { rollUpClicks } from '../../../shared/sales/referral/click-counts.ts';
import type { ReferralLink } from '../../../shared/sales/referral/referral-link.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { type OwnRedis, startOwnRedis } from '../../support/own-redis.ts';
import { type Affiliate, BROWSER, givenAffiliate, givenLink } from '../../support/referrals.ts';
import { isSentLater } from '../../support/statements.ts';

let app: TestApp;
let affiliate: Affiliate;
let link: ReferralLink;

const follow = (code: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${app.url}/r/${code}`, {
    method,
    redirect: 'manual',
    headers: { 'User-Agent': BROWSER, ...headers },
  });

async function countsOf({ id }: ReferralLink) {
  await rollUpClicks(app.runtime, createClickBuffer(app.runtime.redis, app.runtime.config));
  const rows = await app.runtime.db.knex('referral_daily').where({ link_id: id }).orderBy('day');
  return rows.map((row) => [row.clicks, row.unique_clicks]);
}

describe('following a referral link', () => {
  beforeAll(async () => {
    app = await startTestApp({
      TRUST_PROXY: '1',
      REFERRAL_DOMAIN_URL: 'https://shop.example/domains/{domain}',
      REFERRAL_PRODUCT_URL: 'https://shop.example/products/{product}',
    });
    affiliate = await givenAffiliate(app.runtime);
  });
  afterAll(() => app.stop());
  beforeEach(async () => {
    app.runtime.clock.set('2026-11-20T09:30:00.000Z');
    link = await givenLink(app.runtime, affiliate);
  });

  it('redirects to the landing page and sets a first-party cookie for 30 days', async () => {
    const answer = await follow(link.code);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('http://localhost:3000/');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [cookie = '', ...rules] = answer.headers.get('set-cookie')?.split('; ') ?? [];
    expect(rules).toEqual(['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Lax']);
    expect(await verifyClick(app.runtime.tokens, cookie.replace(/^ref=/, ''))).toEqual({
      code: link.code,
      clickedAt: app.runtime.clock.now(),
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('redirects to the domain or product of the link', async () => {
    await givenListing(app.runtime, {
      domain: 'neonwallet.com',
      environment: affiliate.environment,
    });
    const domain = await givenLink(app.runtime, affiliate, {
      kind: 'domain',
      domain: 'NeonWallet.com',
    });
    const product = await givenLink(app.runtime, affiliate, {
      kind: 'product',
      product: '//evil.example',
    });
    expect((await follow(domain.code)).headers.get('location')).toBe(
      'https://shop.example/domains/neonwallet.com',
    );
    expect((await follow(product.code)).headers.get('location')).toBe(
      'https://shop.example/products/%2F%2Fevil.example',
    );
  });

  it('counts clicks, and each visitor once a day', async () => {
    const from = (address: string) => follow(link.code, { 'X-Forwarded-For': address });
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '2001:db8::1']) {
      await from(address);
    }
    await follow(link.code, { 'X-Forwarded-For': '192.0.2.1', 'User-Agent': `${BROWSER} Edg/141` });
    expect(await countsOf(link)).toEqual([[5, 4]]);
    await from('192.0.2.1');
    app.runtime.clock.set('2026-11-21T00:00:00.000Z');
    await from('192.0.2.1');
    expect(await countsOf(link)).toEqual([
      [6, 4],
      [1, 1],
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a crawler', { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, 'GET'],
    ['a prefetch', { 'Sec-Purpose': 'prefetch' }, 'GET'],
    ['an older prefetch', { Purpose: 'prefetch' }, 'GET'],
    ['a HEAD request', {}, 'HEAD'],
  ])('redirects %s without counting it or setting a cookie', async (_who, headers, method) => {
    const answer = await follow(link.code, headers, method);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await countsOf(link)).toEqual([]);
  });

  it('stores no IP address in Redis', async () => {
    await follow(link.code, { 'X-Forwarded-For': '192.0.2.77' });
    const { redis, config } = app.runtime;
    const keys = await redis.keys(`${hashTagPrefix(config.redisPrefix, 'referral')}:referral:*`);
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys) {
      const dump = (await redis.dumpBuffer(key))?.toString('latin1') ?? '';
      expect(`${key}${dump}`).not.toContain('192.0.2.77');
    }
    const visitors = keys.find((key) => key.includes(':visitors:')) ?? '';
    expect(await redis.ttl(visitors)).toBeGreaterThan(0);
  });

  it.each(['AAAAAAAAAA', 'short', '../../etc/passwd', '%2e%2e', 'a'.repeat(300), '🙂'])(
    'returns 404 for the code %p',
    async (code) => {
      const answer = await follow(encodeURIComponent(code));
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
    },
  );

  it('returns 405 for other methods and 400 for a malformed path', async () => {
    const answer = await follow(link.code, {}, 'POST');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await follow('%zz')).status).toBe(400);
  });

  it('restores a link that Redis lost and counts the click', async () => {
    const { redis, config } = app.runtime;
    await redis.del(`${hashTagPrefix(config.redisPrefix, 'referral')}:referral:targets`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => follow(link.code)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(302));
    expect(await countsOf(link)).toEqual([[8, 1]]);
    expect(
      await redis.hexists(
        `${hashTagPrefix(config.redisPrefix, 'referral')}:referral:targets`,
        link.code,
      ),
    ).toBe(1);
  });

  it('runs no SQL for a code that is in Redis', async () => {
    const { db } = app.runtime;
    const asked: string[] = [];
    const listen = (query: { sql: string }) => {
      if (!isSentLater(query)) asked.push(query.sql);
    };
    db.knex.on('query', listen);
    await follow(link.code);
    db.knex.off('query', listen);
    expect(asked).toEqual([]);
  });
});

describe('following a referral link without Redis', () => {
  let redis: OwnRedis;
  let app2: TestApp;
  let known: ReferralLink;
  let unseen: ReferralLink;

  beforeAll(async () => {
    redis = await startOwnRedis();
    app2 = await startTestApp({ REDIS_URL: redis.url });
    const someone = await givenAffiliate(app2.runtime);
    known = await givenLink(app2.runtime, someone);
    unseen = await givenLink(app2.runtime, someone);
  });
  afterAll(async () => {
    await app2.stop();
    await redis.remove();
  });
  const visit = (code: string) =>
    fetch(`${app2.url}/r/${code}`, { redirect: 'manual', headers: { 'User-Agent': BROWSER } });

  it('works for links the process has seen, and returns 503 for others', async () => {
    expect((await visit(known.code)).status).toBe(302);
    await redis.kill();
    const answer = await visit(known.code);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('set-cookie')).toMatch(/^ref=/);
    const other = await visit(unseen.code);
    expect(other.status).toBe(503);
    expect(other.headers.get('retry-after')).toBe('1');

    await redis.start();
    await redis.flushAll();
    // A restarted Redis knows neither the links nor the script.
    await eventually(
      async () => (await visit(unseen.code)).status,
      (status) => status === 302,
    );
  });
});
