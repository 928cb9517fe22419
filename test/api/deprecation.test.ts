import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Deprecation } from '../../api/http/deprecation.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

const LINK = 'https://market.example/docs/versioning';
const GOING = { since: '2026-11-21', sunset: '2027-03-01', link: LINK };
const TABLE: readonly Deprecation[] = [
  { api: 'public', method: 'GET', path: '/tlds/:tld/metadata', ...GOING },
  { api: 'public', method: 'GET', path: '/market/listings', parameter: 'offset', ...GOING },
  { api: 'partner', method: 'GET', path: '/v1/availability', ...GOING },
];
const NOTICE = [
  `@${Date.parse('2026-11-21T00:00:00Z') / 1_000}`,
  'Mon, 01 Mar 2027 00:00:00 GMT',
  `<${LINK}>; rel="deprecation"; type="text/html"`,
];
const NONE = [null, null, null];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({}, TABLE);
});
afterAll(() => app.stop());

const noticeIn = (headers: Headers) =>
  ['Deprecation', 'Sunset', 'Link'].map((name) => headers.get(name));

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;

async function operationOf(file: string, path: string): Promise<Document> {
  const document = (await (await fetch(app.url + file)).json()) as Document;
  return document.paths[path].get;
}

describe('a deprecated call', () => {
  it.each(['/api/tlds/com/metadata', '/api/v1/tlds/com/metadata'])(
    'sends Deprecation, Sunset and Link on %s of the public API, even with errors',
    async (path) => {
      const answer = await fetch(app.url + path);
      expect(answer.status).toBe(404);
      expect(noticeIn(answer.headers)).toEqual(NOTICE);
      expect(noticeIn((await fetch(app.url + path, { method: 'HEAD' })).headers)).toEqual(NOTICE);
      expect(answer.headers.get('Access-Control-Expose-Headers')).toMatch(
        /Deprecation, Sunset, Link/,
      );
    },
  );

  it('sends the headers in the partner API, even to unauthenticated callers', async () => {
    const { client } = await app.partner();
    const path = '/v1/availability';
    const { headers } = await client.get(path, { query: { domain: 'a.com' } }).expect(200);
    expect(noticeIn(headers)).toEqual(NOTICE);
    expect(noticeIn((await fetch(`${app.url}/api/partner${path}`)).headers)).toEqual(NOTICE);
  });

  it('is marked in the OpenAPI document, along with the headers', async () => {
    for (const [file, path] of [
      ['/openapi.json', '/api/tlds/{tld}/metadata'],
      ['/openapi-partner.json', '/api/partner/v1/availability'],
    ] as const) {
      const operation = await operationOf(file, path);
      expect(operation.deprecated).toBe(true);
      expect(Object.keys(operation.responses['200'].headers)).toEqual(
        expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
      );
    }
  });
});

describe('a deprecated parameter', () => {
  it('sends the headers only if the parameter is used', async () => {
    const { headers } = await app.public.get('/market/listings', { query: { offset: 0 } });
    expect(noticeIn(headers)).toEqual(NOTICE);
    expect(noticeIn((await app.public.get('/market/listings')).headers)).toEqual(NONE);
  });

  it('is marked in the OpenAPI document, but its operation is not', async () => {
    const operation = await operationOf('/openapi.json', '/api/market/listings');
    expect(operation.deprecated).toBeUndefined();
    expect(
      operation.parameters
        .filter((each: Document) => each.deprecated)
        .map((each: Document) => each.name),
    ).toEqual(['offset']);
  });
});

it.each([
  ['GET', '/api/tlds'],
  ['POST', '/api/tlds/com/metadata'],
  ['GET', '/api/tlds/com/metadata/more'],
  ['GET', '/api/partner/v1/pricing'],
])('%s %s, which is not deprecated, sends no deprecation headers', async (method, path) => {
  expect(noticeIn((await fetch(app.url + path, { method })).headers)).toEqual(NONE);
});
