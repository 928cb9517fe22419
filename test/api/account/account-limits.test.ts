import { afterEach, expect, it } from '@jest/globals';
import { signIn } from '../../../shared/people/users/user-session.ts';
import { givenAccount, PASSWORD } from '../../support/accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf } from '../../support/bulk.ts';
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

it('counts changes started on account pages in the limit of bulk operations', async () => {
  app = await startTestApp({ RATE_LIMITS: 'on', LIMIT_USER_BULK: '2' });
  const { userId, email, domains } = await givenOwnerOf(app.runtime, 1);
  const [domain = ''] = domains;
  const { token } = await signIn(app.runtime, { email, password: PASSWORD });
  const access = await accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
  const byPage = async (key: string) => {
    const answer = await fetch(`${app.url}/account/bulk/lock/start`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: `account_session=${token}`, Origin: app.url },
      body: new URLSearchParams({ key, domains: domain, enabled: 'true' }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const byApi = async () => {
    const body = { domains: [domain], params: { enabled: true } };
    return (await app.public.post('/domains/bulk/lock', { body, token: access })).status;
  };
  expect([await byPage('a form of the page'), await byApi()]).toEqual([303, 202]);
  expect([await byPage('another form of it'), await byApi()]).toEqual([429, 429]);
  expect(await app.runtime.db.knex('bulk_jobs').where({ user_id: userId })).toHaveLength(2);
});
