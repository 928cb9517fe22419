import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.ts';
import { schemaFaults } from '../../support/declared-answers.ts';
import { givenCode, registerClient, tokenRequest } from '../../support/oauth-client.ts';
import { startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
});
afterAll(() => app.stop());

/** Checks a response against the public document. */
function expectDocumented(
  verb: string,
  path: string,
  { status, body }: { status: number; body: unknown },
): void {
  const at = `/paths/${path.replaceAll('/', '~1')}/${verb}/responses/${status}`;
  expect(schemaFaults('public', `${at}/content/application~1json/schema`, body)).toEqual([]);
}

async function get(path: string) {
  const answer = await fetch(app.url + path);
  return { status: answer.status, body: await answer.json() };
}

describe('the public OpenAPI document, for endpoints served by a library', () => {
  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server'])(
    'describes the response of %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expectDocumented('get', path, answer);
    },
  );

  it('describes the responses of client registration', async () => {
    const path = '/api/oauth/register';
    const input = { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'Example client' };
    const good = await registerClient(app, input);
    expect(good.status).toBe(201);
    expectDocumented('post', path, good);
    const bad = await registerClient(app, { redirect_uris: [] });
    expect(bad.status).toBe(400);
    expectDocumented('post', path, bad);
  });

  it('describes the responses of the token endpoint, with refresh and errors', async () => {
    const client = await givenCode(app);
    const tokens = await client.redeem();
    const refreshed = await client.refresh(tokens.body.refresh_token);
    const refused = await client.refresh('no such token');
    expect([tokens.status, refreshed.status, refused.status]).toEqual([200, 200, 400]);
    for (const answer of [tokens, refreshed, refused]) {
      expectDocumented('post', '/api/oauth/token', answer);
    }
  });

  it('describes the responses of revocation', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    const { status, text: nothing } = await client.revoke(body.access_token);
    expect([status, nothing]).toEqual([200, '']);
    const refused = await tokenRequest(app, { token: 'x' }, '/api/oauth/revoke');
    expect(refused.status).toBe(400);
    expectDocumented('post', '/api/oauth/revoke', refused);
  });

  it('describes the error for unknown clients', async () => {
    const nobody = { client_id: 'cli_nobody', token: 'x', grant_type: 'refresh_token' };
    for (const path of ['/api/oauth/token', '/api/oauth/revoke']) {
      const refused = await tokenRequest(app, { ...nobody, refresh_token: 'x' }, path);
      expect(refused.status).toBe(401);
      expectDocumented('post', path, refused);
    }
  });

  it.each([
    ['text/plain', '{}', 415],
    ['application/json', `{"client_name":"${'x'.repeat(30_000)}"}`, 413],
  ])(
    'describes the error for a registration with an unreadable %s body',
    async (type, body, status) => {
      const path = '/api/oauth/register';
      const headers = { 'Content-Type': type };
      const answer = await fetch(app.url + path, { method: 'POST', headers, body });
      expect(answer.status).toBe(status);
      expectDocumented('post', path, { status, body: await answer.json() });
    },
  );

  it('describes the 401 response of the tool server with its sign-in link', async () => {
    const answer = await fetch(`${app.url}/api`, { method: 'POST' });
    const body: unknown = await answer.json();
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer resource_metadata=/);
    expect(schemaFaults('public', '/components/schemas/Error', body)).toEqual([]);
  });
});
