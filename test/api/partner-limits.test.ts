import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createCredential,
  revokeCredential,
  rotateCredential,
} from '../../shared/people/partners/credential-lifecycle.ts';
import { signIn } from '../../shared/people/users/user-session.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenCredential, givenPartner } from '../support/factories.ts';
import type { TestSettings } from '../support/settings.ts';
import { givenEndpoint } from '../support/webhooks.ts';

let app: TestApp;
afterEach(() => app?.stop());

const begin = async (env: TestSettings = {}) => {
  app = await startTestApp({ RATE_LIMITS: 'on', ...env });
  return app.runtime;
};

/** A member of a partner in a browser. Returns the status of a path on the partner site. */
async function givenMember(partnerId: string) {
  const { id, email } = await givenAccount(app.runtime, 'owner');
  await app.runtime.db
    .knex('partner_members')
    .insert({ partner_id: partnerId, user_id: id, role: 'admin', created_at: new Date() });
  const { token } = await signIn(app.runtime, { email, password: PASSWORD });
  const headers = { Cookie: `account_session=${token}`, Origin: app.url };
  return async (path: string, form?: Record<string, string>) => {
    const answer = await fetch(`${app.url}/partner/${partnerId}${path}`, {
      redirect: 'manual',
      headers,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
}

const SEARCH = { query: { domain: 'example.com' } };

describe('keys of a partner', () => {
  it('share three times the limit of one key, and the headers show the tighter limit', async () => {
    const runtime = await begin({ LIMIT_SEARCH: '2' });
    const partner = await givenPartner(runtime);
    const keys = [partner];
    for (let i = 0; i < 4; i += 1) {
      keys.push({ ...partner, ...(await givenCredential(runtime, partner.partnerId)) });
    }
    const seen: (string | null)[] = [];
    for (const key of keys) {
      for (let i = 0; i < 3; i += 1) {
        const { status, headers } = await app.as(key).get('/v1/availability', SEARCH);
        seen.push(
          `${status} ${headers.get('ratelimit-limit')} ${headers.get('ratelimit-remaining')}`,
        );
        if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }
    expect(seen).toEqual([
      ...['200 2 1', '200 2 0', '429 2 0'],
      ...['200 2 1', '200 2 0', '429 2 0'],
      // Requests rejected for a key do not count for its partner.
      ...['200 2 1', '200 2 0', '429 2 0'],
      ...['429 6 0', '429 6 0', '429 2 0'],
      ...['429 6 0', '429 6 0', '429 2 0'],
    ]);
    expect((await app.as(partner).get('/v1/events')).status).toBe(200);
    const { client } = await app.partner();
    expect((await client.get('/v1/availability', SEARCH)).status).toBe(200);
  });

  it('have separate limits per environment', async () => {
    const runtime = await begin({ LIMIT_READS: '1' });
    const { partnerId } = await givenPartner(runtime);
    for (let i = 0; i < 3; i += 1) {
      const key = await givenCredential(runtime, partnerId);
      expect((await app.as(key).get('/v1/events')).status).toBe(200);
    }
    const fourth = await givenCredential(runtime, partnerId);
    expect((await app.as(fourth).get('/v1/events')).status).toBe(429);
    const live = await givenCredential(runtime, partnerId, { environment: 'LIVE' });
    expect((await app.as(live).get('/v1/events')).status).toBe(200);
  });

  it('do not use up the partner’s limit with rejected requests', async () => {
    const runtime = await begin({ LIMIT_READS: '2' });
    const { partnerId, ...key } = await givenPartner(runtime);
    const [revoked, expired, elsewhere, unscoped] = [
      await givenCredential(runtime, partnerId),
      await givenCredential(runtime, partnerId),
      await givenCredential(runtime, partnerId),
      await givenCredential(runtime, partnerId, { scopes: ['search'] }),
    ];
    const change = ({ keyId }: { keyId: string }, to: object) =>
      runtime.db.knex('credentials').where({ key_id: keyId }).update(to);
    await change(revoked, { status: 'revoked' });
    await change(expired, { expires_at: new Date(0) });
    await change(elsewhere, { allowed_ips: ['192.0.2.0/24'] });
    const answers: number[][] = [];
    for (const refused of [revoked, expired, elsewhere, unscoped]) {
      const statuses: number[] = [];
      for (let i = 0; i < 3; i += 1) {
        statuses.push((await app.as(refused).get('/v1/events')).status);
      }
      answers.push(statuses);
    }
    expect(answers).toEqual([
      [403, 403, 429],
      [403, 403, 429],
      [403, 403, 429],
      [403, 403, 429],
    ]);
    for (const status of [200, 200, 429]) {
      expect((await app.as(key).get('/v1/events')).status).toBe(status);
    }
  });

  it('are limited to 20, even under concurrent requests, and immediate rotation still works', async () => {
    const runtime = await begin();
    const { partnerId } = await givenPartner(runtime);
    const make = (environment: 'SANDBOX' | 'LIVE' = 'SANDBOX') =>
      createCredential(runtime, 'test', { partnerId, environment, scopes: ['search'] });
    for (let i = 0; i < 17; i += 1) await make();
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => make()));
    const [last] = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const keyId = last?.keyId ?? '';
    await expect(rotateCredential(runtime, 'test', { keyId })).rejects.toThrow('at most 20 active');
    const rotated = await rotateCredential(runtime, 'test', { keyId, overlapHours: 0 });
    await expect(make()).rejects.toMatchObject({ details: { reason: 'invalid_state' } });
    await make('LIVE');
    await revokeCredential(runtime, 'test', rotated.keyId);
    await make();
  });
});

describe('limits on the partner site', () => {
  it('are shared with keys: pages count as reads, CSV files as reports, changes as writes', async () => {
    const runtime = await begin({ LIMIT_READS: '2', LIMIT_REPORTING: '1', LIMIT_WRITE: '1' });
    const { partnerId, ...key } = await givenPartner(runtime);
    const visit = await givenMember(partnerId);
    const twice = async (path: string, form?: Record<string, string>) => [
      await visit(path, form),
      await visit(path, form),
    ];
    expect(await twice('/sandbox/orders?format=csv')).toEqual([200, 429]);
    const terms = { environment: 'SANDBOX', scope: 'search', name: 'till' };
    expect(await twice('/keys', terms)).toEqual([200, 429]);
    expect(await twice('/sandbox/orders')).toEqual([200, 200]);
    expect(await visit('/sandbox/orders')).toBe(429);
    expect(await visit('/live/orders')).toBe(200);

    const others = [await givenMember(partnerId), await givenMember(partnerId)];
    for (const other of others) await other('/sandbox/orders');
    for (const other of others) await other('/sandbox/orders');
    expect((await app.as(key).get('/v1/events')).status).toBe(429);
  });

  it('still allow members to see and revoke a key that uses up the partner’s limit', async () => {
    const runtime = await begin({ LIMIT_READS: '9', LIMIT_WRITE: '1' });
    const { partnerId, ...busy } = await givenPartner(runtime);
    const visit = await givenMember(partnerId);
    const other = await givenMember(partnerId);
    const terms = { environment: 'SANDBOX', scope: 'search', name: 'till' };
    const use = (by: string, group: 'reads' | 'write') =>
      runtime.requestLimits.take({ partnerId, environment: 'SANDBOX', by }, group);
    for (const by of ['key a', 'key b', 'key c']) {
      await use(by, 'write');
      for (let i = 0; i < 9; i += 1) await use(by, 'reads');
    }
    expect(await visit('/sandbox/orders')).toBe(429);
    expect(await other('/keys', terms)).toBe(429);
    for (const page of ['', '/sandbox', '/sandbox/webhooks', '/sandbox/team', '/keys']) {
      expect([page, await visit(page)]).toEqual([page, page === '' ? 303 : 200]);
    }
    expect(await visit(`/keys/${busy.keyId}`)).toBe(200);
    expect(await visit(`/keys/${busy.keyId}/revoke`, {})).toBe(303);
    const { status } = await runtime.db
      .knex('credentials')
      .where({ key_id: busy.keyId })
      .first('status');
    expect(status).toBe('revoked');
    // The limit of the member still applies.
    expect(await visit(`/keys/${busy.keyId}/revoke`, {})).toBe(429);
  });
});

describe('webhook pings', () => {
  it('are limited per target host, whoever sends them', async () => {
    const runtime = await begin({ limitPingHost: 2 });
    const ping = async (url: string) => {
      const endpoint = await givenEndpoint(runtime, url);
      const { keyId } = endpoint;
      const credential = await runtime.credentials.find(keyId);
      const { status } = await app
        .as({ keyId, secret: credential?.secret ?? '' })
        .post('/v1/webhooks/test');
      return status;
    };
    expect(await ping('http://127.0.0.1:40991/a')).toBe(202);
    expect(await ping('http://127.0.0.1:40992/b')).toBe(202);
    expect(await ping('http://127.0.0.1:40993/c')).toBe(429);
    expect(await ping('http://localhost:40993/c')).toBe(202);
  });
});

describe('limits for staff', () => {
  it('cover pages and actions together, and CSV files separately', async () => {
    const runtime = await begin({ limitStaff: 2, limitStaffExports: 1 });
    const { email } = await givenAccount(runtime, 'ops', 'admin');
    const { token } = await signIn(runtime, { email, password: PASSWORD });
    const ask = async (path: string) => {
      const Cookie = `ops_session=${token}`;
      return (await fetch(`${app.url}/ops${path}`, { headers: { Cookie } })).status;
    };
    expect([await ask('/orders?format=csv'), await ask('/orders?format=csv')]).toEqual([200, 429]);
    expect([await ask('/orders'), await ask('/api/partners'), await ask('/orders')]).toEqual([
      200, 200, 429,
    ]);
  });
});
