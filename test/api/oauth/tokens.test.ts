import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/http/server.ts';
import { verifyAccessToken } from '../../../shared/people/oauth/access-token.ts';
import { DAY, MINUTE, SECOND } from '../../../shared/platform/clock.ts';
import type { TestApp } from '../../support/app.ts';
import { givenClient, givenCode, REDIRECT, tokenRequest } from '../../support/oauth-client.ts';
import { joinRuntime } from '../../support/runtime.ts';
import { startSignInApp } from '../../support/sign-in.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
});
afterAll(() => app.stop());

const isGood = async (token: string) => (await verifyAccessToken(app.runtime, token)) !== undefined;
const expectInvalidGrant = (
  { status, body }: { status: number; body: unknown },
  saying: string | RegExp = /^[A-Z ].*\.$/i,
) => {
  expect({ status, body }).toEqual({
    status: 400,
    body: { error: 'invalid_grant', error_description: expect.stringMatching(saying) },
  });
};

describe('authorization codes', () => {
  it('are exchanged for tokens that must not be cached', async () => {
    const { status, headers, body } = await (await givenCode(app)).redeem();
    expect(status).toBe(200);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 1_800,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'pricing:read',
      token_type: 'Bearer',
    });
    expect(await isGood(body.access_token)).toBe(true);
  });

  it('are valid for 60 seconds', async () => {
    const [early, late] = [await givenCode(app), await givenCode(app)];
    app.runtime.clock.advance(55 * SECOND);
    expect((await early.redeem()).status).toBe(200);
    app.runtime.clock.advance(5 * SECOND);
    expectInvalidGrant(await late.redeem(), 'The code is unknown, expired or revoked');
  });

  it('work once; reuse revokes the tokens issued for them', async () => {
    const client = await givenCode(app);
    const { body: tokens } = await client.redeem();
    expectInvalidGrant(await client.redeem(), 'The code was used before, so all tokens');
    expect(await isGood(tokens.access_token)).toBe(false);
    expectInvalidGrant(await client.refresh(tokens.refresh_token));
  });

  it('succeed only once in ten concurrent exchanges, and the tokens are revoked', async () => {
    const client = await givenCode(app);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.redeem()));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter((answer) => !won.includes(answer))) {
      expectInvalidGrant(lost, /used (before|twice)|unknown, expired or revoked/);
    }
    expect(await isGood(won[0]?.body.access_token)).toBe(false);
  });

  it('are rejected with a wrong verifier, redirect URI or client, and remain valid', async () => {
    const client = await givenCode(app);
    const other = await givenClient(app);
    const unknown = "The code is unknown, expired or revoked, or another client's.";
    for (const [wrong, saying] of [
      [{ code_verifier: 'x'.repeat(43) }, 'code_verifier does not match'],
      [{ redirect_uri: `${REDIRECT}/other` }, 'redirect_uri does not match'],
      [{ client_id: other }, unknown],
      [{ code: 'no such code' }, unknown],
    ] as const) {
      expectInvalidGrant(await client.redeem(wrong), saying);
    }
    expect((await client.redeem()).status).toBe(200);
  });

  it('are rejected without a verifier', async () => {
    const { code, clientId } = await givenCode(app);
    const answer = await tokenRequest(app, {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code,
    });
    expectInvalidGrant(answer, 'code_verifier is missing');
  });
});

describe('access tokens', () => {
  it('are valid for 30 minutes', async () => {
    const { body } = await (await givenCode(app)).redeem();
    app.runtime.clock.advance(30 * MINUTE - 10 * SECOND);
    expect(await isGood(body.access_token)).toBe(true);
    app.runtime.clock.advance(10 * SECOND);
    expect(await isGood(body.access_token)).toBe(false);
  });

  it('grant access to the public API until they are revoked', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    const call = () =>
      fetch(`${app.url}/api/market/listings`, {
        headers: { Authorization: `Bearer ${body.access_token}` },
      });
    expect((await call()).status).toBe(200);
    expect((await client.revoke(body.access_token)).status).toBe(200);
    const refused = await call();
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
  });
});

describe('refresh tokens', () => {
  it('are replaced at every use and keep their scope', async () => {
    const client = await givenCode(app, { more: { scope: 'domains:manage' } });
    let { body } = await client.redeem();
    for (let round = 0; round < 3; round += 1) {
      const next = await client.refresh(body.refresh_token);
      expect(next).toMatchObject({
        status: 200,
        body: { scope: 'domains:manage', expires_in: 1_800 },
      });
      expect(next.body.refresh_token).not.toBe(body.refresh_token);
      expect(await isGood(next.body.access_token)).toBe(true);
      body = next.body;
    }
  });

  it('can be used for a narrower scope, but not for a wider one', async () => {
    const client = await givenCode(app, { more: { scope: 'pricing:read domains:manage' } });
    const { body } = await client.redeem();
    const less = await client.refresh(body.refresh_token, { scope: 'pricing:read' });
    expect(less.body.scope).toBe('pricing:read');
    const plain = await givenCode(app);
    const { body: read } = await plain.redeem();
    const more = await plain.refresh(read.refresh_token, { scope: 'pricing:read domains:manage' });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  it('are valid for 30 days, and each new one for another 30', async () => {
    const client = await givenCode(app);
    const { body: first } = await client.redeem();
    app.runtime.clock.advance(29 * DAY);
    const { status, body: second } = await client.refresh(first.refresh_token);
    expect(status).toBe(200);
    app.runtime.clock.advance(29 * DAY);
    const { body: third } = await client.refresh(second.refresh_token);
    app.runtime.clock.advance(30 * DAY);
    expectInvalidGrant(
      await client.refresh(third.refresh_token),
      'The refresh token is unknown, expired or revoked',
    );
  });

  it('revoke the whole family when an old one is reused', async () => {
    const client = await givenCode(app);
    const { body: first } = await client.redeem();
    const { body: second } = await client.refresh(first.refresh_token);
    const { body: third } = await client.refresh(second.refresh_token);
    expectInvalidGrant(
      await client.refresh(first.refresh_token),
      'The refresh token was used before, so all tokens',
    );
    expectInvalidGrant(
      await client.refresh(third.refresh_token),
      'The refresh token is unknown, expired or revoked',
    );
    for (const { access_token } of [first, second, third]) {
      expect(await isGood(access_token)).toBe(false);
    }
  });

  it('succeed only once in ten concurrent uses, and the family is revoked', async () => {
    for (let round = 0; round < 5; round += 1) {
      const client = await givenCode(app);
      const { body: first } = await client.redeem();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => client.refresh(first.refresh_token)),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      expect(await isGood(won[0]?.body.access_token)).toBe(false);
      expect(await isGood(first.access_token)).toBe(false);
      expectInvalidGrant(await client.refresh(won[0]?.body.refresh_token));
    }
  });

  it('can be revoked without affecting other grants of the same client', async () => {
    const clientId = await givenClient(app);
    const [one, two] = [await givenCode(app, { clientId }), await givenCode(app, { clientId })];
    const [{ body: first }, { body: second }] = [await one.redeem(), await two.redeem()];
    await one.revoke(first.refresh_token);
    expect(await isGood(first.access_token)).toBe(false);
    expect((await two.refresh(second.refresh_token)).status).toBe(200);
  });
});

describe('token revocation', () => {
  it('succeeds silently for unknown tokens and leaves those of other clients valid', async () => {
    const client = await givenCode(app);
    const { body } = await client.redeem();
    expect((await client.revoke('no such token')).status).toBe(200);
    const stranger = await givenClient(app);
    const answer = await client.revoke(body.access_token, { client_id: stranger });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' });
    expect(await isGood(body.access_token)).toBe(true);
  });

  it('requires a known client', async () => {
    const { status, body } = await tokenRequest(
      app,
      { token: 'x', client_id: 'nobody' },
      '/api/oauth/revoke',
    );
    expect({ status, error: body.error }).toEqual({ status: 401, error: 'invalid_client' });
  });
});

describe('the token endpoint', () => {
  it.each([
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant', {}, 'invalid_request'],
    ['the credentials of a client', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ])('rejects %s', async (_, form, error) => {
    const client_id = await givenClient(app);
    const answer = await tokenRequest(app, { client_id, ...form });
    expect(answer).toMatchObject({ status: 400, body: { error } });
  });

  it('rejects a foreign resource', async () => {
    const client = await givenCode(app);
    const answer = await client.redeem({ resource: 'https://other.example/api' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  it('accepts forms only, and always returns JSON', async () => {
    const response = await fetch(`${app.url}/api/oauth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/html' },
      body: '{"grant_type":"authorization_code"}',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });
});

describe('several API processes', () => {
  it('share issued tokens, and none are lost in a restart', async () => {
    const client = await givenCode(app);
    const { body: first } = await client.redeem();
    const other = await joinRuntime(app.runtime, { PORT: '0' });
    const { server, stop } = createApiServer(createApp(other));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const there = { ...app, url: `http://127.0.0.1:${port}` };
    const { status, body: second } = await tokenRequest(there, {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token,
      client_id: client.clientId,
    });
    expect(status).toBe(200);
    expectInvalidGrant(await client.refresh(first.refresh_token));
    expect(await verifyAccessToken(other, second.access_token)).toBeUndefined();
    await stop(0);
    await other.stop();
  });
});
