import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

function post(body: unknown, accept = 'application/json') {
  return fetch(`${app.url}/api/domain/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify(body),
  });
}

describe('POST /api/domain/search with invalid input', () => {
  it.each([
    [{}, '/q'],
    [{ q: '' }, '/q'],
    [{ q: '   ' }, '/q'],
    [{ q: 7 }, '/q'],
    [{ q: 'x'.repeat(513) }, '/q'],
    [{ q: 'x'.repeat(64) }, '/q'],
    [{ q: '.' }, '/q'],
    [{ q: 'https://' }, '/q'],
    [{ q: '24/7 plumbing' }, '/q'],
    [{ q: 'co.uk' }, '/q'],
    [{ q: 'neonkettle.nosuchtld' }, '/q'],
    [{ q: '192.0.2.1' }, '/q'],
    [{ q: 'me@neonkettle.com' }, '/q'],
    [{ q: '-neon' }, '/q'],
    [{ q: 'neon_kettle' }, '/q'],
    [{ q: '💎' }, '/q'],
    [{ q: 'pаypal' }, '/q'],
    [{ q: 'neonkettle', tlds: 'com' }, '/tlds'],
    [{ q: 'neonkettle', tlds: [] }, '/tlds'],
    [{ q: 'neonkettle', tlds: Array(21).fill('com') }, '/tlds'],
    [{ q: 'neonkettle', tlds: ['com', 'nosuchtld'] }, '/tlds/1'],
    [{ q: 'neonkettle', tlds: ['github.io'] }, '/tlds/0'],
    [{ q: 'neonkettle', tlds: ['a b'] }, '/tlds/0'],
  ])('rejects %j and names the field', async (body, path) => {
    const answer = await post(body);
    const { error } = (await answer.json()) as { error: { code: string; details: unknown } };
    expect([answer.status, error.code]).toEqual([400, 'validation_error']);
    expect(error.details).toEqual([{ path, message: expect.any(String) }]);
  });

  it('returns plain JSON errors even if a stream was requested', async () => {
    const answer = await post({ q: '' }, 'application/x-ndjson');
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
  });
});
