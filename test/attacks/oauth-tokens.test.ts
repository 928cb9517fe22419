import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAccessToken } from '../../shared/people/oauth/access-token.ts';
import type { TestApp } from '../support/app.ts';
import { givenClient, givenCode, tokenRequest } from '../support/oauth-client.ts';
import { startSignInApp } from '../support/sign-in.ts';

/** The attacks of RFC 9700 that our kind of server can meet. */
let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
});
afterAll(() => app.stop());

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };
const isGood = async (token: string) => (await verifyAccessToken(app.runtime, token)) !== undefined;

describe('a leaked refresh token (4.14)', () => {
  it('revokes its whole grant when it is reused, and no other grant', async () => {
    const clientId = await givenClient(app);
    const [one, two] = [await givenCode(app, { clientId }), await givenCode(app, { clientId })];
    const [{ body: mine }, { body: others }] = [await one.redeem(), await two.redeem()];
    const { body: rotated } = await one.refresh(mine.refresh_token);
    expect(await one.refresh(mine.refresh_token)).toMatchObject(REFUSED);
    expect(await one.refresh(rotated.refresh_token)).toMatchObject(REFUSED);
    for (const { access_token } of [mine, rotated]) expect(await isGood(access_token)).toBe(false);
    expect(await isGood(others.access_token)).toBe(true);
  });

  it('does not work for another client, whose attempt does not use it up', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    const thief = await givenClient(app);
    expect(await client.refresh(body.refresh_token, { client_id: thief })).toMatchObject(REFUSED);
    expect((await client.refresh(body.refresh_token)).status).toBe(200);
  });

  it('cannot widen its scope or target another resource', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    const more = await client.refresh(body.refresh_token, { scope: 'pricing:read domains:manage' });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    const elsewhere = { resource: 'https://evil.example/api' };
    expect((await client.refresh(body.refresh_token, elsewhere)).status).toBe(400);
  });

  it('ends with its grant', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    await app.runtime.db
      .knex('oauth_grants')
      .where({ client_id: client.clientId })
      .update({ revoked_at: app.runtime.clock.now() });
    expect(await client.refresh(body.refresh_token)).toMatchObject(REFUSED);
    expect(await isGood(body.access_token)).toBe(false);
  });
});

describe('the OAuth token endpoint', () => {
  it('ignores parameters in the query string', async () => {
    const client = await givenCode(app);
    const query = new URLSearchParams({
      grant_type: 'authorization_code',
      code: client.code,
      client_id: client.clientId,
    });
    const answer = await fetch(`${app.url}/api/oauth/token?${query}`, { method: 'POST' });
    expect(answer.status).toBe(400);
    const byGet = await fetch(`${app.url}/api/oauth/token?${query}`);
    expect(byGet.status).toBe(405);
    expect((await client.redeem()).status).toBe(200);
  });

  it('rejects repeated parameters', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    const form = new URLSearchParams([
      ['grant_type', 'refresh_token'],
      ['client_id', client.clientId],
      ['refresh_token', 'x'],
      ['refresh_token', body.refresh_token],
    ]);
    const answer = await fetch(`${app.url}/api/oauth/token`, { method: 'POST', body: form });
    expect(answer.status).toBe(400);
    expect((await client.refresh(body.refresh_token)).status).toBe(200);
  });

  it('supports no grant type that works without a user', async () => {
    const client_id = await givenClient(app);
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'urn:openid:params:grant-type:ciba',
    ]) {
      const answer = await tokenRequest(app, {
        client_id,
        grant_type,
        username: 'a',
        password: 'b',
      });
      expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
    }
  });
});
