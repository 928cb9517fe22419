import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../api/ops/console/console-router.ts';
import { actionForms } from '../../api/ops/console/forms/action-forms.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { SCOPES } from '../../shared/people/partners/credential.ts';
import { signIn } from '../../shared/people/users/user-session.ts';
import { addMs, DAY, HOUR } from '../../shared/platform/clock.ts';
import { PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenCredential, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor, givenOwner } from '../support/oauth.ts';
import { givenOps } from '../support/ops-client.ts';
import { type KeyPair, readAnswer } from '../support/signed-client.ts';

/** OWASP API1 and API5: who may call what, for every row of every route table. */
let app: TestApp;
let partner: PartnerFixture;
let live: KeyPair;
const tokens = { ops: '', ownerSession: '', prices: '', domains: '', expired: '', revoked: '' };

beforeAll(async () => {
  app = await startTestApp();
  const { runtime } = app;
  partner = await givenPartner(runtime, { affiliate: true });
  live = await givenCredential(runtime, partner.partnerId, { environment: 'LIVE' });
  tokens.ops = (await givenOps(app)).token;
  const { id: userId, email } = await givenOwner(runtime);
  tokens.ownerSession = (await signIn(runtime, { email, password: PASSWORD })).token;
  tokens.prices = await accessTokenFor(runtime, { userId });
  tokens.domains = await accessTokenFor(runtime, { userId, scopes: ['domains:manage'] });
  tokens.expired = await accessTokenFor(runtime, { userId, scopes: ['domains:manage'] });
  await runtime.db
    .knex('oauth_tokens')
    .whereRaw('token_hash = sha256(?)', [Buffer.from(tokens.expired)])
    .update({ expires_at: addMs(runtime.clock.now(), -HOUR) });
  tokens.revoked = await accessTokenFor(runtime, { userId, scopes: ['domains:manage'] });
  await runtime.db.knex.raw(
    `update oauth_grants set revoked_at = ? where id =
       (select grant_id from oauth_tokens where token_hash = sha256(?))`,
    [runtime.clock.now(), Buffer.from(tokens.revoked)],
  );
});
afterAll(() => app.stop());

type Answer = { status: number; body: { error?: { code?: string } } | null };
const verdict = ({ status, body }: Answer) => `${status} ${body?.error?.code ?? ''}`.trim();
const fill = (path: string) => path.replace(/:\w+/g, 'x');
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('every partner route', () => {
  const rows = partnerRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);
  let credentials: Record<string, KeyPair>;
  let byScope: [string, KeyPair][];

  beforeAll(async () => {
    const { runtime } = app;
    const { knex } = runtime.db;
    const now = runtime.clock.now();
    const [revoked, rotated] = [
      await givenCredential(runtime, partner.partnerId),
      await givenCredential(runtime, partner.partnerId),
    ];
    await knex('credentials').where({ key_id: revoked.keyId }).update({ status: 'revoked' });
    await knex('credentials')
      .where({ key_id: rotated.keyId })
      .update({ expires_at: addMs(now, -DAY) });
    const suspended = await givenPartner(runtime);
    await knex('partners').where({ id: suspended.partnerId }).update({ status: 'suspended' });
    const other = await givenPartner(runtime);
    credentials = {
      revoked,
      rotated,
      suspended,
      unknown: { keyId: `pk_sandbox_${'0'.repeat(24)}`, secret: partner.secret },
      'secret of another partner': { keyId: partner.keyId, secret: other.secret },
      'key id as the secret': { keyId: partner.keyId, secret: partner.keyId },
    };
    byScope = await Promise.all(
      SCOPES.map(
        async (scope): Promise<[string, KeyPair]> => [
          scope,
          await givenCredential(runtime, partner.partnerId, { scopes: [scope] }),
        ],
      ),
    );
  });

  const REFUSED: Record<string, string> = {
    revoked: '403 credential_not_active',
    rotated: '403 credential_not_active',
    suspended: '403 partner_not_active',
    unknown: '401 invalid_signature',
    'secret of another partner': '401 invalid_signature',
    'key id as the secret': '401 invalid_signature',
  };

  it.each(rows)(
    '%s is allowed only for its scopes and with an active credential',
    async (_name, route) => {
      const send = (keys: KeyPair) =>
        app.as(keys).request(route.method, fill(route.path), { idempotencyKey: 'k' });
      for (const [who, keys] of Object.entries(credentials)) {
        expect([who, verdict(await send(keys))]).toEqual([who, REFUSED[who]]);
      }
      for (const [scope, keys] of byScope) {
        const refused = verdict(await send(keys)) === '403 forbidden';
        const opens = route.scopes.some((each) => each === scope);
        // A referral route also wants an affiliate, which this partner is.
        expect([scope, refused]).toEqual([scope, !opens]);
      }
      if (route.sandboxOnly) expect(verdict(await send(live))).toBe('404 not_found');
    },
  );

  it.each(rows)('%s accepts nothing but a signature', async (_name, route) => {
    const url = `${app.url}/api/partner${fill(route.path)}`;
    const send = async (headers: Record<string, string>) =>
      verdict(await readAnswer(await fetch(url, { method: route.method, headers })));
    const now = Math.floor(app.runtime.clock.now().getTime() / 1_000);
    const unsigned = {
      'X-Service-Key-Id': partner.keyId,
      'X-Service-Timestamp': String(now),
      'X-Service-Nonce': 'n',
    };
    expect(await send({})).toBe('401 missing_credentials');
    for (const token of [tokens.ops, tokens.ownerSession, tokens.domains, partner.secret]) {
      expect(await send(bearer(token))).toBe('401 missing_credentials');
    }
    expect(await send({ Cookie: `ops_session=${tokens.ops}` })).toBe('401 missing_credentials');
    expect(await send(unsigned)).toBe('401 missing_signature_headers');
    for (const signature of [`v1=${'0'.repeat(64)}`, partner.secret, 'v1=', 'v2=x']) {
      const forged = { ...unsigned, 'X-Service-Signature': signature };
      expect(await send(forged)).toBe('401 invalid_signature');
    }
  });

  it('returns 405 for unsupported methods, also with a method override header', async () => {
    const paths = new Map<string, Set<string>>();
    for (const { method, path } of partnerRoutes) {
      paths.set(path, (paths.get(path) ?? new Set()).add(method));
    }
    const client = app.as(partner);
    for (const [path, known] of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (known.has(method)) continue;
        // The registration and the other calls also work at each other's path.
        const former = path === '/webhooks' ? '/v1/webhooks' : '/webhooks';
        if (path.endsWith('/webhooks') && paths.get(former)?.has(method)) continue;
        const headers = { 'X-HTTP-Method-Override': [...known][0] ?? '' };
        const answer = await client.request(method, fill(path), { headers });
        expect([path, method, answer.status]).toEqual([path, method, 405]);
      }
    }
  });
});

describe('every public route', () => {
  const rows = publicRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);
  const BAD = () => [
    tokens.expired,
    tokens.revoked,
    tokens.ops,
    tokens.ownerSession,
    partner.secret,
    'x',
    '',
  ];

  it.each(rows)('%s rejects every token that is not a valid access token', async (_name, route) => {
    for (const token of BAD()) {
      const headers = bearer(token);
      const answer = await app.public.request(route.method, fill(route.path), { headers });
      expect(verdict(answer)).toBe('401 invalid_token');
    }
  });

  it.each(rows)('%s is open to the callers that its scope allows', async (_name, route) => {
    const send = async (headers: Record<string, string>, base: '/api' | '/api/v1' = '/api') =>
      (await app.public.request(route.method, fill(route.path), { headers, base })).status;
    const signed = { 'X-Service-Key-Id': partner.keyId, 'X-Service-Signature': 'v1=x' };
    const cookie = { Cookie: `ops_session=${tokens.ops}; oauth_session=x` };
    if (route.scope) {
      for (const base of ['/api', '/api/v1'] as const) {
        for (const headers of [{}, signed, cookie]) expect(await send(headers, base)).toBe(401);
        expect(await send(bearer(tokens.prices), base)).toBe(403);
      }
      expect([401, 403]).not.toContain(await send(bearer(tokens.domains)));
    } else {
      expect([401, 403]).not.toContain(await send({}));
    }
  });
});

describe('everything under /ops', () => {
  const doors = [
    ...opsRoutes.map(({ method, path }) => [method, `/ops/api${path}`]),
    ...consolePages.map(({ path }) => ['GET', `/ops${path}`]),
    ...[...actionForms().keys()].flatMap((form) => [
      ['GET', `/ops/do/${form}`],
      ['POST', `/ops/do/${form}`],
    ]),
    ['GET', '/ops/queues/'],
    ['GET', '/ops/queues/api/queues'],
    ['PUT', '/ops/queues/api/queues/webhooks/pause'],
    ['PUT', '/ops/queues/api/queues/webhooks/empty'],
    ['POST', '/ops/queues/api/queues/webhooks/add'],
    ['GET', '/ops/api/no-such-path'],
  ].map(([method = '', path = '']) => [method, fill(path)] as const);

  const send = (method: string, path: string, headers: Record<string, string>) =>
    fetch(app.url + path, { method, redirect: 'manual', headers });

  it.each(doors)('%s %s is closed to everyone else', async (method, path) => {
    const callers: [string, Record<string, string>, number][] = [
      ['nobody', {}, 401],
      ['an owner', bearer(tokens.ownerSession), 403],
      ['an owner by cookie', { Cookie: `ops_session=${tokens.ownerSession}` }, 403],
      ['a client of an owner', bearer(tokens.domains), 401],
      ['a client of an owner by cookie', { Cookie: `ops_session=${tokens.domains}` }, 401],
      ['a partner', bearer(partner.secret), 401],
      ['a partner by key', { 'X-Service-Key-Id': partner.keyId }, 401],
      [
        'a bad token beside a good cookie',
        { ...bearer('x'), Cookie: `ops_session=${tokens.ops}` },
        401,
      ],
    ];
    for (const [who, headers, status] of callers) {
      const answer = await send(method, path, headers);
      expect([who, answer.status]).toEqual([who, status]);
      expect(await answer.text()).not.toContain(partner.partnerId);
    }
    const page = await send(method, path, { Accept: 'text/html' });
    const sentToSignIn = method === 'GET' && !path.startsWith('/ops/api/');
    if (sentToSignIn) expect(page.headers.get('Location')).toMatch(/^\/ops\/sign-in\?next=%2Fops/);
    else expect([401, 303]).toContain(page.status);
  });

  it.each(doors.filter(([method]) => method === 'GET'))(
    '%s %s is open to ops',
    async (method, path) => {
      const answer = await send(method, path, bearer(tokens.ops));
      expect([401, 403]).not.toContain(answer.status);
      expect(answer.status).toBeLessThan(500);
    },
  );
});
