import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_PUBLIC_READS: '5' });
});
afterAll(() => app?.stop());

const open = async (query: string) => {
  const answer = await fetch(`${app.url}/docs/search${query}`);
  return { answer, text: await answer.text() };
};

describe('GET /docs/search', () => {
  it('has a form that works without scripts, and shows results', async () => {
    const empty = await open('');
    expect(empty.text).toContain('action="/docs/search"');
    expect(empty.answer.headers.get('Content-Security-Policy')).toContain("form-action 'self'");
    const { text } = await open('?q=canonical+string');
    expect(text).toContain('<a href="/docs/signing#the-canonical-string">');
    expect(text).toContain('<mark>canonical</mark>');
  });

  it('escapes the query', async () => {
    const { text } = await open(`?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(text).not.toContain('<script>alert');
    expect((await open('?q=a&q=b')).answer.status).toBe(200);
  });

  it('counts toward the limit of public reads', async () => {
    await open('?q=order');
    expect((await open('?q=order')).answer.status).toBe(429);
  });
});
