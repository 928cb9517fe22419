import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { bodyValidator } from '../../../api/http/validate.ts';
import { TldList } from '../../../api/public/tld-routes.ts';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { importTlds } from '../../../shared/market/tlds/import-tlds.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { checkedFetch } from '../../support/public-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_PUBLIC_READS: '10000' });
  await seedTlds(app.runtime);
  const [line = ''] = readFileSync('db/seeds/tlds.ndjson', 'utf8').split('\n');
  const source = Readable.from([JSON.stringify({ ...JSON.parse(line), tld: 'xn--p1ai' })]);
  await importTlds(app.runtime, { source });
});
afterAll(() => app.stop());

const get = (path: string) => app.public.get(path);

describe('the price of a TLD', () => {
  it('is the registration price by default, in cents and as a decimal string', async () => {
    const { status, body } = await get('/pricing/tld?tld=com');
    expect(status).toBe(200);
    expect(body).toEqual({
      tld: 'com',
      op: 'register',
      price_cents: 1_108,
      price: '11.08',
      currency: 'USD',
      years: 1,
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  it.each([
    ['ca', 'renew', 911, '9.11', 1],
    ['ca', 'transfer', 859, '8.59', 1],
    ['com', 'restore', 6_000, '60.00', 1],
    ['uk', 'transfer', 0, '0.00', 1],
    ['ai', 'register', 16_540, '165.40', 2],
  ])('covers the shortest term (.%s, %s)', async (tld, op, price_cents, price, years) => {
    const { body } = await get(`/pricing/tld?tld=${tld}&op=${op}`);
    expect(body).toMatchObject({ tld, op, price_cents, price, years });
  });

  it('returns 404 for an operation that is not offered', async () => {
    const { status, body } = await get('/pricing/tld?tld=uk&op=restore');
    expect(status).toBe(404);
    expect(body.error).toMatchObject({
      code: 'not_found',
      message: '"restore" is not offered for .uk.',
    });
  });

  it.each(['?tld=nosuchtld', '?tld=com.nosuchtld'])('returns 404 for %s', async (query) => {
    expect((await get(`/pricing/tld${query}`)).status).toBe(404);
  });

  it.each(['', '?tld=', '?tld=a%20b', '?tld=com&op=steal'])(
    'returns a validation_error for "%s"',
    async (query) => {
      const { status, body } = await get(`/pricing/tld${query}`);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    },
  );
});

describe('the requirements of a TLD', () => {
  it('are returned with every field', async () => {
    const { status, body } = await get('/tlds/com.au/metadata');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tld: 'com.au',
      unicode: 'com.au',
      type: 'country_code',
      term: { min_years: 1, max_years: 5 },
      organization: { required: true, allowed: true },
      registrant: { local_presence: true },
      nameservers: { required: true, min: 2, max: 6, zone_check: false },
      lifecycle: { late_renew_days: 29, redemption_days: 0, restore_supported: false },
    });
  });

  it.each(['xn--p1ai', 'XN--P1AI', '.xn--p1ai', 'рф', 'РФ', '.рф'])(
    'are found for %s in any spelling',
    async (spelling) => {
      const { body } = await get(`/tlds/${encodeURIComponent(spelling)}/metadata`);
      expect(body).toMatchObject({ tld: 'xn--p1ai', unicode: 'рф' });
    },
  );

  it('return 404 for an unknown TLD', async () => {
    expect((await get('/tlds/nosuchtld/metadata')).status).toBe(404);
  });

  it('include a JSON schema of the registrant that clients can validate with', async () => {
    const { body } = await get('/tlds/us/metadata');
    const check = new Ajv2020({ strict: false }).compile(body.registrant_schema);
    const registrant = {
      name: 'Robin Buyer',
      street: ['1 Main Street'],
      city: 'Springfield',
      state: 'IL',
      postal_code: '62701',
      country: 'US',
      phone: '+12175550123',
      email: 'robin@example.com',
    };
    expect(check(registrant)).toBe(false);
    const extra = { nexus_purpose: 'P3', nexus_category: 'C11' };
    expect(check({ ...registrant, extra })).toBe(true);
  });

  it('are listed for all TLDs, each as in its own response', async () => {
    const { status, body } = await get('/tlds');
    expect(status).toBe(200);
    bodyValidator(TldList)(body);
    expect(body.tlds.length).toBeGreaterThanOrEqual(50);
    const { registrant_schema, ...dev } = (await get('/tlds/dev/metadata')).body;
    expect(body.tlds).toContainEqual(dev);
  });
});

describe('every TLD response', () => {
  it.each([
    ['GET', '/tlds', 200],
    ['HEAD', '/tlds', 200],
    ['GET', '/pricing/tld?tld=com', 200],
    ['GET', '/pricing/tld', 400],
    ['GET', '/tlds/nosuchtld/metadata', 404],
    ['GET', '/tlds/%zz/metadata', 400],
    ['POST', '/tlds', 405],
    ['OPTIONS', '/tlds', 405],
    ['DELETE', '/pricing/tld', 405],
  ])(
    '%s %s (%i) has rate limit headers and is the same under /v1',
    async (method, path, status) => {
      const answers = await Promise.all(
        ['/api', '/api/v1'].map((base) => checkedFetch(app.url + base + path, { method })),
      );
      for (const { status: got, headers } of answers) {
        expect(got).toBe(status);
        expect(headers.get('RateLimit-Limit')).toBe('10000');
        expect(headers.get('RateLimit-Remaining')).toMatch(/^\d+$/);
        expect(headers.get('RateLimit-Reset')).toMatch(/^([1-9]|[1-5]\d|60)$/);
        expect(headers.get('RateLimit-Policy')).toBe('10000;w=60');
        if (status === 405) expect(headers.get('Allow')).toBe('GET, HEAD');
        else expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      }
      const [bare = '', pinned] = await Promise.all(answers.map((answer) => answer.text()));
      if (status < 400) expect(pinned).toBe(bare);
    },
  );
});
