import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_REFERENCES } from '../../../api/pages/docs/api-reference/reference-pages.ts';
import { GUIDES } from '../../../api/pages/docs/guides.ts';
import { assetPath } from '../../../api/pages/kit/assets.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const READS_GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

/** A response without decompression. */
function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(app.url + path, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }));
    });
    sent.on('error', reject).end();
  });
}

describe('static files and documents', () => {
  it.each([
    assetPath('account.css'),
    assetPath('portal.css'),
    '/openapi-partner.json',
    '/docs/quickstart',
    '/docs/webhooks.md',
  ])('are compressed for clients that accept gzip: %s', async (path) => {
    const plain = await get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toContain('Accept-Encoding');
    const packed = await get(path, READS_GZIP);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
  });

  it('keep guides and API reference pages small', async () => {
    const weightOf = async (paths: readonly string[]) => {
      const answers = await Promise.all(paths.map((path) => get(path, READS_GZIP)));
      return answers.reduce((sum, { body }) => sum + body.length, 0);
    };
    const frame = await weightOf([assetPath('portal.css'), assetPath('portal.js')]);
    expect(frame).toBeLessThan(8_000);
    const heavy = [];
    for (const { slug } of GUIDES) {
      const weight = frame + (await weightOf([`/docs/${slug}`]));
      if (weight > 20_000) heavy.push([slug, weight]);
    }
    expect(heavy).toEqual([]);
    const viewer =
      frame + (await weightOf([assetPath('reference.css'), assetPath('reference.js')]));
    for (const api of API_REFERENCES) {
      const overview = (await get(api.path)).body.toString();
      const subjects = [...overview.matchAll(/<h2 [^>]*><a href="([^"]+)"/g)].map(
        ([, path = '']) => path,
      );
      expect(subjects.length).toBeGreaterThan(4);
      for (const path of [api.path, ...subjects]) {
        const weight = viewer + (await weightOf([path]));
        if (weight > 60_000) heavy.push([path, weight]);
      }
    }
    expect(heavy).toEqual([]);
  });
});
