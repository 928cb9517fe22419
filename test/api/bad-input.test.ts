import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RouteDefinition } from '../../api/http/route-table.ts';
import { readExamples } from '../../api/openapi/openapi-operation.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { ERROR_CATALOGUE } from '../../shared/platform/errors.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenListing, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor, givenOwner } from '../support/oauth.ts';
import type { SignedClient } from '../support/signed-client.ts';

/** Texts known to break services. */
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
  '9999-12-31T23:59:59.999Z',
  '0000-01-01',
  '1970-01-01',
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
/** Property names of every JavaScript object: looking them up in a table returns a function. */
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

type Body = { quote_id?: unknown; domain?: unknown };
const EXAMPLES = readExamples();

describe('API routes with invalid input', () => {
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
  const pathOf = (route: RouteDefinition, params: Record<string, string>) =>
    route.path.replace(/:(\w+)/g, (_, name) =>
      encodeURIComponent(toWellFormed(params[name] ?? 'x') || 'x'),
    );

  /** The example in the document, for a domain listed here and without a quote. */
  const exampleBodyOf = (route: RouteDefinition) => {
    const signed = (partnerRoutes as readonly RouteDefinition[]).includes(route);
    const example = EXAMPLES[signed ? 'partner' : 'public'][route.operationId];
    const { quote_id: _gone, ...body } = { ...(example?.body as Body | undefined) };
    return { ...body, ...(body.domain !== undefined && { domain }) };
  };

  const inputFor = (route: RouteDefinition) =>
    fc.record({
      params: fc.dictionary(fc.constantFrom(...propertiesOf(route.params), 'none'), nastyText),
      query: fc.dictionary(fc.constantFrom(...propertiesOf(route.query), 'unknown'), nastyText),
      body: fc.oneof(
        nastyValue,
        fc.dictionary(
          fc.constantFrom(...propertiesOf(route.body), '__proto__', 'constructor', 'unknown'),
          nastyValue,
        ),
        // The example body with one or two fields changed.
        fc
          .dictionary(fc.constantFrom(...propertiesOf(route.body), 'unknown'), nastyValue, {
            minKeys: 1,
            maxKeys: 2,
          })
          .map((wrong) => ({ ...exampleBodyOf(route), ...wrong })),
      ),
    });

  /** Ten runs for each input of a route, and ten for unknown input. */
  const runsFor = ({ params, query, body }: RouteDefinition) =>
    Math.min(60, 10 * (1 + [params, query, body].flatMap(propertiesOf).length));

  it.each(OBJECT_WORDS)('take "%s" like any other text, in every parameter', async (word) => {
    for (const route of [...partnerRoutes, ...publicRoutes]) {
      const fill = (schema: unknown) =>
        Object.fromEntries(propertiesOf(schema).map((name) => [name, word]));
      const signed = (partnerRoutes as readonly RouteDefinition[]).includes(route);
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
  });

  it('ignore it in unknown parameters', async () => {
    const reads = [...partnerRoutes, ...publicRoutes].filter(({ method }) => method === 'GET');
    for (const route of reads as readonly RouteDefinition[]) {
      const signed = (partnerRoutes as readonly RouteDefinition[]).includes(route);
      const client = signed ? partner.client : app.public;
      const ask = (query: Record<string, string>) =>
        client.get(pathOf(route, {}), { query, ...(!signed && { token: ownerToken }) });
      const [bare, more] = [await ask({}), await ask({ a: '\u0000', 'b\u0000': 'x' })];
      expect([route.operationId, more.status]).toEqual([route.operationId, bare.status]);
    }
  });

  describe('with dates', () => {
    const PERIODS = [
      { from: '1970-01-01' },
      { to: '1970-01-01' },
      { from: '9999-12-31' },
      { from: '9999-12-31T12:00:00Z' },
      { to: '9999-12-31T23:59:59.999Z' },
      { from: '1970-01-01', to: '9999-12-31T23:59:59.999Z' },
      { from: '9999-12-31T12:00:00Z', to: '9999-12-31T23:59:59.999Z' },
    ];
    const OUTSIDE = [
      '0000-01-01',
      '0000-06-15T00:00:00Z',
      '0999-12-31',
      '1969-12-31',
      '1970-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '10000-01-01',
      '+010000-01-01T00:00:00Z',
      '-000001-01-01T00:00:00Z',
    ];
    const dated = [...partnerRoutes, ...publicRoutes].filter(({ query }) =>
      ['from', 'expires_before'].some((name) => propertiesOf(query).includes(name)),
    ) as readonly RouteDefinition[];
    const ask = (route: RouteDefinition, query: Record<string, string>) => {
      const signed = (partnerRoutes as readonly RouteDefinition[]).includes(route);
      const client = signed ? partner.client : app.public;
      return client.get(pathOf(route, {}), { query, ...(!signed && { token: ownerToken }) });
    };

    it('accept 1970 through 9999, in every parameter', async () => {
      expect(dated.length).toBeGreaterThan(10);
      for (const route of dated) {
        const isPeriod = propertiesOf(route.query).includes('from');
        const periods = isPeriod ? PERIODS : PERIODS.flatMap(({ to }) => to ?? []);
        for (const period of periods) {
          const query = typeof period === 'string' ? { expires_before: period } : period;
          const { status } = await ask(route, query);
          expect([route.operationId, query, status]).toEqual([route.operationId, query, 200]);
        }
      }
    });

    it('reject other years and name the parameter', async () => {
      for (const route of dated) {
        const names = propertiesOf(route.query).filter((name) =>
          ['from', 'to', 'expires_before'].includes(name),
        );
        for (const [name, text] of names.flatMap((each) =>
          OUTSIDE.map((at) => [each, at] as const),
        )) {
          const { status, body } = await ask(route, { [name]: text });
          expect([route.operationId, text, status]).toEqual([route.operationId, text, 400]);
          expect(body.error.details[0].path).toBe(`/${name}`);
        }
      }
    });
  });

  it.each(partnerRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s returns an error envelope or a success, never a 5xx',
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
        { numRuns: runsFor(route) },
      );
    },
  );

  it.each(publicRoutes.map((route) => [`${route.method} /api${route.path}`, route] as const))(
    '%s, signed in only where required, returns an error envelope or a success, never a 5xx',
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
        { numRuns: runsFor(route) },
      );
    },
  );

  it('return an error envelope for broken, non-object, too deep or too large JSON', async () => {
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
  const { code = '', message, request_id } = answer.body?.error ?? {};
  const known = Object.hasOwn(ERROR_CATALOGUE, code);
  if (!known || typeof message !== 'string' || typeof request_id !== 'string') {
    throw new Error(`not the error envelope: ${answer.text}`);
  }
}

function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** Returns an object for each member, with only that member. */
function eachAlone(members: Record<string, string>): Record<string, string>[] {
  return Object.entries(members).map(([name, value]) => ({ [name]: value }));
}
