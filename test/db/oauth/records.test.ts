import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAccessToken } from '../../../shared/people/oauth/access-token.ts';
import {
  clientRecords,
  grantRecords,
  tokenRecords,
} from '../../../shared/people/oauth/oauth-records.ts';
import { MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import { accessTokenFor, givenOwner } from '../../support/oauth.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

describe('OAuth records', () => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterAll(() => runtime.stop());

  it('an access token identifies its user, client, scopes, and expiry', async () => {
    const { id: userId } = await givenOwner(runtime);
    const token = await accessTokenFor(runtime, { userId, scopes: ['domains:manage'] });
    const access = await verifyAccessToken(runtime, token);
    expect(access).toMatchObject({ userId, scopes: ['domains:manage'] });
    expect(access?.clientId).toMatch(/^cli_/);
    expect(access?.expiresAt.getTime()).toBeGreaterThan(runtime.clock.now().getTime());
  });

  it('only the exact access token is accepted', async () => {
    const { id: userId } = await givenOwner(runtime);
    const token = await accessTokenFor(runtime, { userId });
    for (const other of ['', 'nonsense', `${token}x`, token.slice(1), token.toUpperCase()]) {
      expect(await verifyAccessToken(runtime, other)).toBeUndefined();
    }
  });

  it('an access token for another resource is rejected', async () => {
    const { id: userId } = await givenOwner(runtime);
    const token = await accessTokenFor(runtime, { userId });
    const config = { ...runtime.config, baseUrl: 'https://other.example' };
    expect(await verifyAccessToken({ ...runtime, config }, token)).toBeUndefined();
  });

  it('an access token is rejected from its last five seconds on', async () => {
    const { id: userId } = await givenOwner(runtime);
    const token = await accessTokenFor(runtime, { userId });
    runtime.clock.advance(30 * MINUTE - 5 * SECOND);
    expect(await verifyAccessToken(runtime, token)).toBeDefined();
    runtime.clock.advance(5 * SECOND);
    expect(await verifyAccessToken(runtime, token)).toBeUndefined();
  });

  it('a refresh token is not accepted as an access token', async () => {
    const { id: userId } = await givenOwner(runtime);
    const grantId = await givenGrant(userId);
    const aud = `${runtime.config.baseUrl}/api`;
    await tokenRecords(runtime, 'RefreshToken').save('a refresh token', { grantId, aud }, 60);
    expect(await verifyAccessToken(runtime, 'a refresh token')).toBeUndefined();
  });

  it('an authorization code works once, and reusing it revokes the grant', async () => {
    const { id: userId } = await givenOwner(runtime);
    const grantId = await givenGrant(userId);
    const codes = tokenRecords(runtime, 'AuthorizationCode');
    await codes.save('the code', { grantId }, 60);
    const results = await Promise.all(Array.from({ length: 10 }, () => codes.consume('the code')));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await grantRecords(runtime).find(grantId)).toBeUndefined();
  });

  it('a token issued under a revoked grant is not accepted', async () => {
    const { id: userId } = await givenOwner(runtime);
    const grantId = await givenGrant(userId);
    await grantRecords(runtime).revoke(grantId);
    const aud = `${runtime.config.baseUrl}/api`;
    await tokenRecords(runtime, 'AccessToken').save('late', { grantId, aud }, 60);
    expect(await verifyAccessToken(runtime, 'late')).toBeUndefined();
  });

  it('tokens are stored only as digests', async () => {
    const { id: userId } = await givenOwner(runtime);
    const token = await accessTokenFor(runtime, { userId });
    const { rows } = await runtime.db.knex.raw('select t::text as text from oauth_tokens t');
    expect(rows.filter(({ text }: { text: string }) => text.includes(token))).toEqual([]);
  });

  let grants = 0;
  async function givenGrant(userId: string): Promise<string> {
    grants += 1;
    const clientId = `client-${grants}`;
    await clientRecords(runtime).save(clientId, {});
    await grantRecords(runtime).save(`grant-${grants}`, { accountId: userId, clientId });
    return `grant-${grants}`;
  }
});
