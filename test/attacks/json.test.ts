import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenListing, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor, givenOwner } from '../support/oauth.ts';
import type { SignedClient } from '../support/signed-client.ts';
import { postMessage, tokenOfNewUser, toolCall } from '../support/tools.ts';

let app: TestApp;
let partner: PartnerFixture & { client: SignedClient };
beforeAll(async () => {
  app = await startTestApp();
  partner = await app.partner();
});
afterAll(() => app.stop());

describe('malicious JSON', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const BOMBS: [string, string][] = [
    ['deep objects', nested(15_000)],
    ['deep arrays', `{"a":${'['.repeat(45_000)}${']'.repeat(45_000)}}`],
    ['many keys', `{${Array.from({ length: 9_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
    ['many duplicate keys', `{${Array.from({ length: 9_000 }, () => '"domain":1').join(',')}}`],
    ['huge numbers', `{"expected_price":1e400,"limit":${'9'.repeat(90_000)}}`],
    ['tiny numbers', '{"expected_price":1e-400,"budget":-0}'],
    ['escapes', `{"domain":"${'\\u0041'.repeat(16_000)}"}`],
    [
      'a wide array',
      `{"domains":[${'1,'.repeat(45_000)}1],"operations":[${'{},'.repeat(1_000)}1]}`,
    ],
    [
      'a prototype',
      '{"__proto__":{"admin":true,"status":"SETTLED"},"constructor":{"prototype":{"x":1}}}',
    ],
    [
      'a nested prototype',
      '{"buyer":{"__proto__":{"email":"a@b.example"}},"params":{"__proto__":{}}}',
    ],
    ['an unpaired surrogate', '{"domain":"\\ud800.com"}'],
    ['a byte order mark', '\ufeff{"domain":"a.com"}'],
    ['a comment', '{/* */"domain":"a.com"}'],
    ['two values', '{"domain":"a.com"}{"domain":"b.com"}'],
  ];
  const withBody = (rows: readonly { method: string; path: string; body?: unknown }[]) =>
    rows.filter(({ body }) => body !== undefined);

  it.each(BOMBS)('gets a short 4xx response: %s', async (_what, rawBody) => {
    for (const { method, path } of withBody(partnerRoutes)) {
      const answer = await partner.client.request(method, path.replace(/:\w+/g, 'x'), {
        rawBody,
        idempotencyKey: 'k',
      });
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
      expect([path, answer.text.length < 20_000]).toEqual([path, true]);
    }
    for (const { method, path } of withBody(publicRoutes)) {
      const answer = await app.public.request(method, path.replace(/:\w+/g, 'x'), { rawBody });
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
      expect([path, answer.text.length < 20_000]).toEqual([path, true]);
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each(BOMBS)('does not crash the MCP server: %s', async (_what, bomb) => {
    const token = await tokenOfNewUser(app);
    const call = JSON.stringify(toolCall('tld_requirements', 'BOMB')).replace('"BOMB"', () => bomb);
    for (const text of [bomb, call]) {
      const { status, body } = await postMessage(app, text, { token });
      expect(status).toBeLessThan(500);
      expect(body).toMatchObject({ jsonrpc: '2.0' });
      expect(JSON.stringify(body).length).toBeLessThan(20_000);
    }
  });

  it('gets a short response however many parts are invalid', async () => {
    const { id: userId } = await givenOwner(app.runtime);
    const token = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
    for (const { method, path, body, maxBodyBytes } of publicRoutes) {
      const lists = Object.keys((body as { properties?: object })?.properties ?? {});
      for (const name of lists) {
        const parts = Math.floor((maxBodyBytes ?? 100_000) / 2) - 20;
        for (const wrong of [`[${'0,'.repeat(parts)}0]`, `{"x":[${'0,'.repeat(parts - 10)}0]}`]) {
          const rawBody = `{"domains":["a.com"],"${name}":${wrong}}`;
          const at = path.replace(/:\w+/g, 'tags');
          const answer = await app.public.request(method, at, { rawBody, token });
          const brief = answer.status < 500 && answer.text.length < 20_000;
          expect([path, name, brief, answer.text.length]).toEqual([
            path,
            name,
            true,
            answer.text.length,
          ]);
        }
      }
    }
    const pairs = { scopes: Array.from({ length: 10_000 }, () => 0), url: 'x', secret: 'y' };
    const { text } = await partner.client.put('/webhooks', { body: pairs });
    expect(text.length).toBeLessThan(20_000);
  });

  it('cannot set fields that the caller does not control (API3)', async () => {
    const listing = await givenListing(app.runtime);
    const { body, status } = await partner.client.post('/v1/orders', {
      idempotencyKey: 'mass-assignment',
      body: {
        domain: listing.domain,
        expected_price: listing.priceCents,
        buyer: { email: 'a@b.example', id: 'x', role: 'ops' },
        status: 'SETTLED',
        payment_model: 'brokerage',
        commission_cents: 484_999,
        amount_owed_cents: 0,
        environment: 'LIVE',
        partner_id: 'ptr_01kaj0000000000000000000000',
        public_id: 'ord_01kaj0000000000000000000000',
        settled_at: '2020-01-01T00:00:00Z',
        created_at: '2020-01-01T00:00:00Z',
      },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'EXTERNALLY_PAID',
      payment_model: 'merchant_of_record',
      commission_cents: 72_750,
      environment: 'SANDBOX',
      settled_at: null,
    });
    expect(body.public_id).not.toBe('ord_01kaj0000000000000000000000');
    expect(body.created_at > '2021').toBe(true);
    const row = await app.runtime.db.knex('orders').where({ id: body.public_id }).first();
    expect(row.partner_id).toBe(partner.partnerId);
  });

  it('is not parsed from query parameters with brackets or repeated names', async () => {
    for (const query of [
      'domain[$ne]=x',
      'domain[]=a.com',
      'domain=a.com&domain=b.com',
      '__proto__[admin]=1',
      'constructor[prototype][admin]=1',
      'domain[__proto__]=x',
    ]) {
      const answer = await fetch(`${app.url}/api/pricing/tld?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
    }
    expect(({} as { admin?: string }).admin).toBeUndefined();
  });
});
