import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ BASE_URL: 'https://market.example' });
});
afterAll(() => app.stop());

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;

const read = async (file: string) => (await (await fetch(app.url + file)).json()) as Document;

describe.each(['/openapi.json', '/openapi-partner.json', '/asyncapi.json'])('GET %s', (file) => {
  it('allows all origins, and is cached and revalidated', async () => {
    const first = await fetch(app.url + file);
    expect(first.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=300');
    const etag = first.headers.get('ETag') ?? '';
    // Otherwise `fetch` would skip its cache.
    const asCached: object = { cache: 'no-cache' };
    const again = await fetch(app.url + file, {
      headers: { 'If-None-Match': etag },
      ...asCached,
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toHaveLength(0);
  });

  it('returns 405 with the allowed methods', async () => {
    const answer = await fetch(app.url + file, { method: 'POST' });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  });
});

it('the public OpenAPI document names the server and sign-in endpoints by their public URL', async () => {
  const document = await read('/openapi.json');
  expect(document.servers).toEqual([{ url: 'https://market.example' }]);
  expect(document.components.securitySchemes.oauth.flows.authorizationCode).toMatchObject({
    authorizationUrl: 'https://market.example/oauth/authorize',
    tokenUrl: 'https://market.example/api/oauth/token',
  });
});
