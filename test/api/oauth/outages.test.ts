import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../../api/app.ts';
import { createApiServer } from '../../../api/http/server.ts';
import { PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwner } from '../../support/oauth.ts';
import {
  authorizeLink,
  givenClient,
  givenCode,
  registerClient,
  tokenRequest,
} from '../../support/oauth-client.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import { joinRuntime } from '../../support/runtime.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';

const REDIRECT_URIS = ['https://agent.example/callback'];

describe('OAuth during a Postgres outage', () => {
  let app: TestApp;
  let without: TestApp;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    app = await startSignInApp();
    const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    const runtime = await joinRuntime(app.runtime, { DATABASE_URL, PORT: '0' });
    const api = createApiServer(createApp(runtime));
    await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
    const { port } = api.server.address() as { port: number };
    without = { ...app, url: `http://127.0.0.1:${port}` };
    stop = async () => {
      await api.stop(0);
      await runtime.stop();
    };
  });
  afterAll(async () => {
    await stop();
    await app.stop();
  });

  it('returns 503 with Retry-After to clients, without details', async () => {
    const form = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: 'cli_00000000000000000000000000',
    };
    const answers = [
      await tokenRequest(without, form),
      await tokenRequest(
        without,
        { token: 'x', client_id: 'cli_00000000000000000000000000' },
        '/api/oauth/revoke',
      ),
      await registerClient(without, { redirect_uris: REDIRECT_URIS }),
    ];
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('Retry-After')]).toEqual([503, '1']);
      expect(body.error).toMatch(/^(server_error|temporarily_unavailable)$/);
      expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|select|ECONNREFUSED/);
    }
  });

  it('shows users an error page', async () => {
    const { link } = authorizeLink(without, 'cli_00000000000000000000000000');
    const response = await fetch(link, { redirect: 'manual' });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('Something went wrong on our side');
  });
});

describe('OAuth during a Redis outage', () => {
  it('still serves clients, but rejects password sign-in, which it could not limit', async () => {
    const redis = await startOwnRedis();
    const app = await startSignInApp({ REDIS_URL: redis.url, RATE_LIMITS: 'on' });
    const client = await givenCode(app);
    const { email } = await givenOwner(app.runtime);
    const visitor = newVisitor(app.url);
    const page = await visitor.open(authorizeLink(app, await givenClient(app)).link);
    await redis.kill();

    expect((await client.redeem()).status).toBe(200);
    expect((await registerClient(app, { redirect_uris: REDIRECT_URIS })).status).toBe(201);
    const refused = await visitor.press(page, 'Sign in', { email, password: PASSWORD });
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('Something went wrong on our side');

    await app.stop();
    await redis.remove();
  });
});
