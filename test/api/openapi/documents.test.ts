import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partnerRoutes } from '../../../api/partner/routes.ts';
import { publicRoutes } from '../../../api/public/routes.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { schemaFaults } from '../../support/declared-answers.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: 'https://market.example' });
});
afterAll(() => app.stop());

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;

const APIS = [
  ['/openapi.json', 'public', publicRoutes],
  ['/openapi-partner.json', 'partner', partnerRoutes],
] as const;

const read = async (file: string) => (await (await fetch(app.url + file)).json()) as Document;

function operationsOf(document: Document): Document[] {
  return [
    ...Object.values<Document>(document.paths),
    ...Object.values<Document>(document.webhooks ?? {}),
  ].flatMap((item) => Object.values<Document>(item).filter((value) => value.operationId));
}

describe.each(APIS)('GET %s', (file, api, rows) => {
  it('tells every row of the table, under its path and verb', async () => {
    const document = await read(file);
    expect(document.openapi).toBe('3.1.1');
    const missing = rows.filter(({ method, path }) => {
      const item = document.paths[path.replace(/:(\w+)/g, '{$1}')];
      return item?.[method.toLowerCase()] === undefined;
    });
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('gives every operation a name of its own, a feature and a summary', async () => {
    const document = await read(file);
    const operations = operationsOf(document);
    const names = operations.map(({ operationId }) => operationId);
    expect([...new Set(names)]).toEqual(names);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    const untagged = operations.filter((each) => !tags.includes(each.tags?.[0]) || !each.summary);
    expect(untagged.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('has only examples that fit their schemas', async () => {
    const document = await read(file);
    const faults: unknown[] = [];
    let checked = 0;
    for (const { pointer, value } of examplesIn(document, '')) {
      checked += 1;
      const found = schemaFaults(api, pointer, value);
      if (found.length > 0) faults.push([pointer, value, found]);
    }
    expect(faults).toEqual([]);
    expect(checked).toBeGreaterThan(20);
  });

  it('shows for every row what it answers, where that is one JSON value', async () => {
    const document = await read(file);
    const silent = rows.filter(({ method, path, responses }) => {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      return Object.entries(responses).some(
        ([status, schema]) =>
          schema && !operation.responses[status].content?.['application/json']?.example,
      );
    });
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('is open to every page, kept for a while, and not sent again unchanged', async () => {
    const first = await fetch(app.url + file);
    expect(first.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=300');
    const etag = first.headers.get('ETag') ?? '';
    // Else `fetch` asks for a fresh one.
    const asCached: object = { cache: 'no-cache' };
    const again = await fetch(app.url + file, {
      headers: { 'If-None-Match': etag },
      ...asCached,
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toHaveLength(0);
  });
});

it('names every server and sign-in endpoint by the public address', async () => {
  const document = await read('/openapi.json');
  expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
    'https://market.example/api',
    'https://market.example/api/v1',
  ]);
  expect(document.components.securitySchemes.oauth.flows.authorizationCode).toMatchObject({
    authorizationUrl: 'https://market.example/oauth/authorize',
    tokenUrl: 'https://market.example/api/oauth/token',
  });
});

/** Every example below a node with the pointer of the schema that it must fit. */
function* examplesIn(
  node: Document,
  pointer: string,
): Generator<{ pointer: string; value: unknown }> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node) && node.schema) {
    const at = `${pointer}/schema`;
    if (node.example !== undefined) yield { pointer: at, value: node.example };
    for (const { value } of Object.values<Document>(node.examples ?? {}))
      yield { pointer: at, value };
  }
  if (Array.isArray(node.examples)) {
    for (const value of node.examples) yield { pointer, value };
  }
  for (const [key, inner] of Object.entries<Document>(node)) {
    if (key === 'example' || key === 'examples') continue;
    yield* examplesIn(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}
