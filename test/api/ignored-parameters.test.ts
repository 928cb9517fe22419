import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.ts';

const HEADER = 'X-Service-Ignored-Parameters';

let app: TestApp;
let client: Awaited<ReturnType<TestApp['partner']>>['client'];
beforeAll(async () => {
  app = await startTestApp();
  ({ client } = await app.partner());
});
afterAll(() => app.stop());

describe('unknown query parameters', () => {
  it('are named by the partner API, even with an error, and change nothing', async () => {
    const query = { limit: 5, offset: 10, minPrice: 99 };
    const list = await client.get('/v1/orders', { query }).expect(200);
    expect(list.headers.get(HEADER)).toBe('offset,minPrice');
    const refused = await client.get('/v1/availability', { query: { name: 'a.com' } }).expect(400);
    expect(refused.headers.get(HEADER)).toBe('name');
    const written = await client.post('/v1/quotes', { query: { dry_run: 1 }, body: {} });
    expect([written.status, written.headers.get(HEADER)]).toEqual([400, 'dry_run']);
  });

  it.each(['/api', '/api/v1'] as const)('are named by the public API at %s', async (base) => {
    const query = { minPrice: 5, limit: 1, constructor: 1 };
    const { headers } = await app.public.get('/market/listings', { base, query }).expect(200);
    expect(headers.get(HEADER)).toBe('minPrice,constructor');
    expect(headers.get('Access-Control-Expose-Headers')).toContain(HEADER);
  });

  it('cause no header if there are none', async () => {
    const list = await client.get('/v1/orders', { query: { limit: 5 } });
    expect(list.headers.has(HEADER)).toBe(false);
    expect((await app.public.get('/tlds')).headers.has(HEADER)).toBe(false);
  });

  it.each([
    ['a line break', 'a%0D%0ASet-Cookie:%20x', 'a%0D%0ASet-Cookie%3A%20x'],
    ['a comma and a bracket', 'filter[a,b]', 'filter%5Ba%2Cb%5D'],
    ['letters beyond ASCII', '%C3%BCber', '%C3%BCber'],
    ['bytes that are no text', '%FF', '%EF%BF%BD'],
    ['one twice', 'x=1&x=2&y=3', 'x,y'],
    ['nothing', '=1', null],
  ])('are encoded safely in the header: %s', async (_what, raw, told) => {
    const answer = await fetch(`${app.url}/api/tlds?${raw}`);
    expect(answer.headers.get(HEADER)).toBe(told);
    expect(answer.headers.has('Set-Cookie')).toBe(false);
  });

  it('are cut off in the header once it is too long', async () => {
    const names = Array.from({ length: 400 }, (_, at) => `parameter${at}`);
    const many = await fetch(`${app.url}/api/tlds?${names.join('&')}`);
    const told = many.headers.get(HEADER) ?? '';
    expect(told.length).toBeLessThanOrEqual(520);
    expect(told).toMatch(/^parameter0,parameter1,.*,parameter\d+,\.\.\.$/);
    const long = await fetch(`${app.url}/api/tlds?${'x'.repeat(4_000)}`);
    expect(long.headers.get(HEADER)).toBe('...');
  });
});
