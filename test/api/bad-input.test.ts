import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TableRow } from '../../api/http/route-table.ts';
import { partnerRoutes } from '../../api/partner/routes.ts';
import { publicRoutes } from '../../api/public/routes.ts';
import { ERROR_CATALOGUE } from '../../shared/platform/error-catalogue.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenListing, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor, givenOwner } from '../support/oauth.ts';
import type { SignedClient } from '../support/signed-client.ts';

/** Text that has broken somebody's service before. */
const NASTY_TEXT = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u0645\u0635\u0631',
  "'; drop table orders; --",
  '%00',
  '%zz',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  'null',
  'NaN',
  '-1',
  '0',
  '1e309',
  '99999999999999999999',
  'Infinity',
  '-1e309',
  '9223372036854775808',
  '9999-12-31',
  '2016-12-31T23:59:60Z',
  '2026-01-01T00:00:00+05',
  '+275760-09-13T00:00:00.001Z',
  'xn--',
  'xn--a',
  'аррӏе.com',
  '．．．',
  'a.'.repeat(200),
  'x'.repeat(5_000),
  '🙂'.repeat(300),
];
/** What every object of JavaScript has: a table that is read by such a key gives a function. */
const OBJECT_WORDS = ['constructor', '__proto__', 'toString', 'name.constructor'];
const nastyText = fc.oneof(
  fc.constantFrom(...NASTY_TEXT),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 300 }),
);
const nastyValue = fc.oneof(
  nastyText,
  fc.integer(),
  fc.double(),
  fc.constantFrom<unknown>(null, true, [], {}, [[]], -1, 0, 1.5, Number.MAX_SAFE_INTEGER + 2, [
    'a',
    'b',
  ]),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
);

describe('bad input', () => {
  let app: TestApp;
  let partner: PartnerFixture & { client: SignedClient };
  let domain: string;
  let ownerToken: string;
  beforeAll(async () => {
    app = await startTestApp();
    partner = await app.partner({ affiliate: true });
    domain = (await givenListing(app.runtime)).domain;
    const { id: userId } = await givenOwner(app.runtime);
    ownerToken = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
  });
  afterAll(() => app.stop());

  const propertiesOf = (schema: unknown) =>
    Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

  /** Fills a route's `:name` segments. */
  const pathOf = (route: TableRow, params: Record<string, string>) =>
    route.path.replace(/:(\w+)/g, (_, name) =>
      encodeURIComponent(toWellFormed(params[name] ?? 'x') || 'x'),
    );

  const inputFor = (route: TableRow) =>
    fc.record({
      params: fc.dictionary(fc.constantFrom(...propertiesOf(route.params), 'none'), nastyText),
      query: fc.dictionary(fc.constantFrom(...propertiesOf(route.query), 'unknown'), nastyText),
      body: fc.oneof(
        nastyValue,
        fc.dictionary(
          fc.constantFrom(...propertiesOf(route.body), '__proto__', 'constructor', 'unknown'),
          nastyValue,
        ),
        fc.record(
          { domain: fc.constant(domain), buyer: nastyValue, expected_price: nastyValue },
          { requiredKeys: ['domain'] },
        ),
      ),
    });

  it.each(OBJECT_WORDS)(
    'takes "%s" for a text like any other, wherever it stands',
    async (word) => {
      for (const route of [...partnerRoutes, ...publicRoutes]) {
        const fill = (schema: unknown) =>
          Object.fromEntries(propertiesOf(schema).map((name) => [name, word]));
        const signed = (partnerRoutes as readonly TableRow[]).includes(route);
        const client = signed ? partner.client : app.public;
        for (const query of [fill(route.query), ...eachAlone(fill(route.query))]) {
          const answer = await client.request(route.method, pathOf(route, fill(route.params)), {
            query,
            ...(route.method !== 'GET' && { body: fill(route.body) }),
            ...(signed ? { idempotencyKey: randomUUID() } : { token: ownerToken }),
          });
          expect([route.operationId, answer.status < 500]).toEqual([route.operationId, true]);
        }
      }
    },
    60_000,
  );

  it.each(partnerRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s answers it with the error envelope or a success, never a 5xx',
    async (_name, route) => {
      await fc.assert(
        fc.asyncProperty(inputFor(route), async ({ params, query, body }) => {
          const answer = await partner.client.request(route.method, pathOf(route, params), {
            query: Object.fromEntries(
              Object.entries(query).map(([name, value]) => [name, toWellFormed(value)]),
            ),
            ...(route.method !== 'GET' && { body }),
            idempotencyKey: randomUUID(),
          });
          expectEnvelope(answer);
        }),
        { numRuns: 60 },
      );
    },
    60_000,
  );

  it.each(publicRoutes.map((route) => [`${route.method} /api${route.path}`, route] as const))(
    '%s answers it, without a key where none is needed, with the error envelope or a success, never a 5xx',
    async (_name, route) => {
      await fc.assert(
        fc.asyncProperty(inputFor(route), async ({ params, query, body }) => {
          const answer = await app.public.request(route.method, pathOf(route, params), {
            query: Object.fromEntries(
              Object.entries(query).map(([name, value]) => [name, toWellFormed(value)]),
            ),
            ...(route.method !== 'GET' && { body }),
            ...(route.scope && { token: ownerToken }),
          });
          expectEnvelope(answer);
          expect(answer.headers.get('RateLimit-Policy')).toMatch(/^\d+;w=60$/);
        }),
        { numRuns: 60 },
      );
    },
    60_000,
  );

  it('survives bodies that are no JSON, no object, too deep or too large', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      '"text"',
      'null',
      '\ufeff{}',
      `${'['.repeat(40_000)}`,
      `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      '{"unknown":1e400}',
    ];
    for (const route of partnerRoutes.filter((each) => each.body)) {
      for (const raw of bodies) {
        const answer = await partner.client.request(route.method, pathOf(route, {}), {
          rawBody: raw,
          idempotencyKey: randomUUID(),
        });
        expectEnvelope(answer);
        expect(answer.status).toBeGreaterThanOrEqual(400);
      }
    }
  });
});

function expectEnvelope(answer: {
  status: number;
  text: string;
  body: { error?: { code?: string; message?: string; request_id?: string } } | null;
}) {
  if (answer.status >= 500) throw new Error(`answered ${answer.status}: ${answer.text}`);
  if (answer.status < 400) return;
  const error = answer.body?.error;
  expect(Object.keys(ERROR_CATALOGUE)).toContain(error?.code);
  expect(error?.message).toEqual(expect.any(String));
  expect(error?.request_id).toEqual(expect.any(String));
}

function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** Of each member an object that has only it. */
function eachAlone(members: Record<string, string>): Record<string, string>[] {
  return Object.entries(members).map(([name, value]) => ({ [name]: value }));
}
