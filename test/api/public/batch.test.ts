import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import type { BatchAnswer } from '../../support/public-batch.ts';
import { tokenOfNewUser } from '../../support/tools.ts';

const price = (tld: string, id?: unknown) => ({
  ...(id !== undefined && { id }),
  op: 'tld_registration_price',
  params: { tld },
});

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: 'https://market.example' });
  await seedTlds(app.runtime);
  await givenListing(app.runtime, { environment: 'LIVE', domain: 'kettle.com' });
});
afterAll(() => app.stop());

async function run(...operations: unknown[]): Promise<BatchAnswer> {
  const { body } = await app.public.post('/batch', { body: { operations } }).expect(200);
  return body;
}

async function refusal(body: unknown) {
  const answer = await app.public.post('/batch', { body });
  const { code, details } = answer.body.error;
  return { status: answer.status, code, details };
}

describe('POST /api/batch', () => {
  it('returns the result of each operation’s single call, in order', async () => {
    const batch = await run(
      { id: 'a', op: 'market_listings', params: { limit: 1, tld: 'com' } },
      { id: 2, op: 'tld_requirements', params: { tld: 'de' } },
      price('com', 'c'),
    );
    expect(batch).toEqual({
      results: [
        {
          id: 'a',
          op: 'market_listings',
          status: 200,
          body: expect.objectContaining({
            items: [expect.objectContaining({ domain: 'kettle.com', price_masked: true })],
          }),
        },
        {
          id: 2,
          op: 'tld_requirements',
          status: 200,
          body: expect.objectContaining({ tld: 'de', type: 'country_code' }),
        },
        {
          id: 'c',
          op: 'tld_registration_price',
          status: 200,
          body: (await app.public.get('/pricing/tld?tld=com')).body,
        },
      ],
      count: 3,
      failed: 0,
    });
  });

  it('fails invalid operations individually and runs the rest', async () => {
    const batch = await run(
      price('com', 1),
      { id: 2, op: 'drop_tables', params: {} },
      { id: 3, op: 'tld_registration_price', params: { tld: 'com', op: 'steal' } },
      { id: 4, op: 'tld_registration_price' },
      { id: 5, op: 'tld_registration_price', params: ['com'] },
      { id: 6, op: 'tld_requirements', params: { tld: 'a\u0000b' } },
      { id: 7, op: 'tld_requirements', params: { tld: 'nowhere' } },
      { id: 8, op: 'market_listings', params: { sort: 'price_asc' } },
      price('net', 9),
    );
    const told = batch.results.map(({ id, status, body }) => [
      id,
      status,
      body.error?.code,
      body.error?.details?.[0]?.path,
    ]);
    expect(told).toEqual([
      [1, 200, undefined, undefined],
      [2, 400, 'validation_error', '/op'],
      [3, 400, 'validation_error', '/op'],
      [4, 400, 'validation_error', '/tld'],
      [5, 400, 'validation_error', '/params'],
      [6, 400, 'validation_error', '/tld'],
      [7, 404, 'not_found', undefined],
      [8, 401, 'invalid_token', undefined],
      [9, 200, undefined, undefined],
    ]);
    expect([batch.count, batch.failed]).toEqual([9, 7]);
  });

  it('names the request id of the batch in every error', async () => {
    const { body } = await app.public.post('/batch', {
      body: { operations: [{ op: 'nothing' }, price('nowhere')] },
      headers: { 'X-Request-Id': 'my-batch' },
    });
    const { results } = body as BatchAnswer;
    expect(results.map(({ body }) => body.error?.request_id)).toEqual(['my-batch', 'my-batch']);
  });

  it.each<[what: string, entry: unknown, id: unknown, op: unknown]>([
    ['nothing', null, null, null],
    ['a text', 'tld_registration_price', null, null],
    ['a list', [price('com')], null, null],
    ['no operation', { id: 'x' }, 'x', null],
    ['an operation that is no text', { id: 'x', op: 1 }, 'x', null],
    ['an id that is an object', { ...price('com'), id: {} }, null, 'tld_registration_price'],
    ['an id too long', price('com', 'x'.repeat(256)), 'x'.repeat(256), 'tld_registration_price'],
    ['an id too large to echo', price('com', 2 ** 60), 2 ** 60, 'tld_registration_price'],
    ['an id with NUL', price('com', 'a\u0000'), 'a\u0000', 'tld_registration_price'],
  ])('returns 400 only for an entry that is or has: %s', async (_what, entry, id, op) => {
    const { results, failed } = await run(entry, price('com', 'good'));
    expect(results).toEqual([
      {
        id,
        op,
        status: 400,
        body: { error: expect.objectContaining({ code: 'validation_error' }) },
      },
      expect.objectContaining({ id: 'good', status: 200 }),
    ]);
    expect(failed).toBe(1);
  });

  it('rejects an entry nested too deeply without affecting the others', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`);
    const { results } = await run({ op: 'tld_requirements', params: deep }, price('com'));
    expect(results.map(({ status }) => status)).toEqual([400, 200]);
  });

  it('echoes ids unchanged, or null if missing, even if they repeat', async () => {
    const ids = ['', '0', 0, -1.5, 'same', 'same', 'ü🙂', Number.MAX_SAFE_INTEGER];
    const without = [price('com'), { ...price('com'), id: null }];
    const batch = await run(...ids.map((id) => price('com', id)), ...without);
    expect(batch.results.map(({ id }) => id)).toEqual([...ids, null, null]);
    expect(batch.failed).toBe(0);
  });

  it('runs as the signed-in user: prices unmasked, price sorting allowed', async () => {
    const { body } = await app.public.post('/batch', {
      token: await tokenOfNewUser(app),
      body: {
        operations: [
          { op: 'market_listings', params: { sort: 'price_desc', limit: 1 } },
          { op: 'search_domain', params: { q: 'kettle.com', tlds: ['com'] } },
        ],
      },
    });
    const [listings, search] = (body as BatchAnswer).results;
    expect(listings).toMatchObject({ status: 200, body: { items: [{ price_cents: 485_000 }] } });
    expect(search).toMatchObject({
      status: 200,
      body: {
        signed_in: true,
        results: [{ domain: 'kettle.com', listing: { price_cents: 485_000 } }],
      },
    });
  });

  it('can look up domains', async () => {
    const { results } = await run(
      { op: 'whois_lookup', params: { domain: 'Kettle.COM' } },
      { op: 'whois_lookup', params: { domain: 'no domain' } },
    );
    expect(results).toMatchObject([
      { status: 200, body: { domain: 'kettle.com', registered: true } },
      { status: 400, body: { error: { code: 'validation_error' } } },
    ]);
  });

  it('rejects the whole batch for an invalid token', async () => {
    const { status, body } = await app.public.post('/batch', {
      token: 'made-up',
      body: { operations: [price('com')] },
    });
    expect([status, body.error.code]).toEqual([401, 'invalid_token']);
  });

  it('does not stream searches, whatever the Accept header', async () => {
    const { body } = await app.public.post('/batch', {
      headers: { Accept: 'application/x-ndjson' },
      body: { operations: [{ op: 'search_domain', params: { q: 'kettle.com', tlds: ['com'] } }] },
    });
    expect(body.results[0]).toMatchObject({
      status: 200,
      body: {
        signed_in: false,
        results: [{ domain: 'kettle.com', listing: { price_cents: null } }],
      },
    });
  });

  it('runs the same operation as often as it is listed', async () => {
    const batch = await run(price('com'), price('com'), price('com'));
    expect(new Set(batch.results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(batch.count).toBe(3);
  });

  it('accepts 1 to 20 operations', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => price('com', at));
    expect((await run(...many(20))).count).toBe(20);
    for (const operations of [many(21), []]) {
      expect(await refusal({ operations })).toEqual({
        status: 400,
        code: 'validation_error',
        details: [{ path: '/operations', message: expect.any(String) }],
      });
    }
  });

  it.each([{}, { operations: null }, { operations: {} }, { operations: 'all' }])(
    'rejects the body %j',
    async (body) => {
      expect(await refusal(body)).toMatchObject({ status: 400, code: 'validation_error' });
    },
  );

  it('accepts bodies of up to 256 kB', async () => {
    const padded = (bytes: number) => ({ operations: [price('com', 1)], pad: 'x'.repeat(bytes) });
    await app.public.post('/batch', { body: padded(250_000) }).expect(200);
    expect(await refusal(padded(256_000))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
  });

  it('is also available under /api/v1', async () => {
    const body = { operations: [price('com')] };
    const answer = await app.public.post('/batch', { body, base: '/api/v1' });
    expect(answer.body).toMatchObject({ count: 1, failed: 0 });
  });
});

describe('GET /api/batch', () => {
  it('lists the operations, with schemas that mark required parameters', async () => {
    const { body } = await app.public.get('/batch').expect(200);
    const catalogue = body as {
      operations: { op: string; params_schema: { required: string[] } }[];
      max_operations: number;
    };
    expect(catalogue.max_operations).toBe(20);
    expect(catalogue.operations.map(({ op }) => op)).toEqual([
      'search_domain',
      'tld_registration_price',
      'tld_requirements',
      'whois_lookup',
      'market_listings',
    ]);
    expect(catalogue.operations.find(({ op }) => op === 'search_domain')).toMatchObject({
      params_schema: { required: ['q'] },
      single_call: { method: 'POST', path: '/api/domain/search' },
    });
    expect(catalogue.operations.find(({ op }) => op === 'tld_registration_price')).toEqual({
      op: 'tld_registration_price',
      description: expect.any(String),
      params_schema: {
        type: 'object',
        properties: {
          tld: expect.objectContaining({ type: 'string' }),
          op: expect.objectContaining({
            enum: ['register', 'renew', 'transfer', 'restore'],
            default: 'register',
          }),
        },
        required: ['tld'],
      },
      single_call: { method: 'GET', path: '/api/pricing/tld' },
    });
    expect(catalogue.operations.find(({ op }) => op === 'market_listings')).toMatchObject({
      params_schema: { required: [] },
    });
    expect(catalogue.operations.find(({ op }) => op === 'tld_requirements')).toMatchObject({
      single_call: { method: 'GET', path: '/api/tlds/{tld}/metadata' },
    });
  });
});
