import { afterEach, expect, it } from '@jest/globals';
import { signIn } from '../../../shared/people/users/user-session.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { accessTokenFor } from '../../support/oauth.ts';

let app: TestApp;
afterEach(() => app?.stop());

it('counts account pages separately from reads by connected apps, and each request once', async () => {
  app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_USER_READS: '2' });
  const { id: userId, email } = await givenAccount(app.runtime, 'owner');
  const { token } = await signIn(app.runtime, { email, password: PASSWORD });
  const access = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(app.url + path, { headers, redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  };
  for (const status of [200, 200, 429]) {
    expect(await ask('/api/domains', { Authorization: `Bearer ${access}` })).toBe(status);
  }
  const Cookie = `account_session=${token}`;
  expect(await ask('/account/apps', { Cookie })).toBe(200);
  expect(await ask('/account/bulk/unlist', { Cookie })).toBe(200);
  expect(await ask('/account/apps', { Cookie })).toBe(429);
});
