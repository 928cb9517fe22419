import { createHash, createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TObject } from 'typebox';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { OAUTH_SCOPES } from '../../shared/people/oauth/access-token.ts';
import { deriveKey } from '../../shared/platform/crypto/secrets.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import type { TestApp } from '../support/app.ts';
import { givenCase, unlistedDomain } from '../support/brokerage.ts';
import { givenSession } from '../support/checkout.ts';
import { givenListing, type PartnerFixture } from '../support/factories.ts';
import { givenCode, type Redemption } from '../support/oauth-client.ts';
import { givenOps } from '../support/ops-client.ts';
import { orderBody } from '../support/sales.ts';
import { secretsKey } from '../support/secrets-key.ts';
import { sendByHand } from '../support/send-by-hand.ts';
import { startSignInApp } from '../support/sign-in.ts';
import type { SignedClient } from '../support/signed-client.ts';

let app: TestApp;
let partner: PartnerFixture & { client: SignedClient };
let client: Redemption;
let quoted: { domain: string; priceCents: number };
let session: { id: string; url: string };
let caseId: string;
const tokens: Record<string, string> = {};

const ptOf = (url: string) => new URL(url).searchParams.get('pt') ?? '';

beforeAll(async () => {
  app = await startSignInApp();
  const { runtime } = app;
  partner = await app.partner({ affiliate: true });
  quoted = await givenListing(runtime);
  const quote = await partner.client
    .post('/v1/quotes', { body: { domain: quoted.domain } })
    .expect(201);
  for (let n = 0; n < 2; n += 1) {
    await givenListing(runtime, { environment: 'LIVE' });
    await givenCase(runtime, partner, { domain: unlistedDomain() });
  }
  session = await givenSession(app, partner.client);
  const form = /name="form" value="([^"]+)"/.exec(await (await fetch(session.url)).text());
  ({ id: caseId } = await givenCase(runtime, partner));
  const cases = await partner.client.get('/v1/brokerage', { query: { limit: 1 } }).expect(200);
  const market = await app.public.get('/market/listings', { query: { limit: 1 } }).expect(200);
  const link = await partner.client.post('/v1/links', { body: { kind: 'generic' } }).expect(201);
  client = await givenCode(app, { more: { scope: OAUTH_SCOPES.join(' ') } });
  const second = await givenCode(app, { more: { scope: OAUTH_SCOPES.join(' ') } });
  const { body: issued } = await second.redeem();
  const ops = await givenOps(app);
  Object.assign(tokens, {
    quote: quote.body.quote_id,
    'cursor of cases': cases.body.next_cursor,
    'cursor of the market': market.body.page.next_cursor,
    'checkout link': ptOf(session.url),
    'checkout form': form?.[1],
    'progress link': ptOf(await progressUrl(runtime, caseId)),
    'authorization code': client.code,
    'access token': issued.access_token,
    'refresh token': issued.refresh_token,
    'session of ops': ops.token,
    'secret of a partner': partner.secret,
    'key id': partner.keyId,
    'cookie of a click': `${link.body.code}.abc`,
    'session of a browser': client.visitor.cookies.find(({ name }) => name === 'oauth_session')
      ?.value as string,
  });
  for (const [name, token] of Object.entries(tokens)) {
    if (!token) throw new Error(`no ${name}`);
  }
});
afterAll(() => app.stop());

/** Where a token can be tried. `good` names the ones that open it; the call says whether it was taken. */
const PLACES: Record<string, { good: readonly string[]; taken(token: string): Promise<boolean> }> =
  {
    'quote_id of an order': {
      good: ['quote'],
      async taken(token) {
        // Over the price, so that even the right one records nothing.
        const body = orderBody({ ...quoted, priceCents: 1 }, { quote_id: token });
        const answer = await partner.client.post('/v1/orders', {
          body,
          idempotencyKey: randomUUID(),
        });
        if (answer.status === 400) return false;
        expect(answer.body.error.code).toBe('price_mismatch');
        return true;
      },
    },
    'cursor of the cases': {
      good: ['cursor of cases'],
      taken: async (cursor) =>
        (await partner.client.get('/v1/brokerage', { query: { cursor } })).status === 200,
    },
    'cursor of the orders': {
      good: [],
      taken: async (cursor) =>
        (await partner.client.get('/v1/orders', { query: { cursor } })).status === 200,
    },
    'cursor of the market': {
      good: ['cursor of the market'],
      taken: async (cursor) =>
        (await app.public.get('/market/listings', { query: { cursor } })).status === 200,
    },
    'cursor of the market under another filter': {
      good: [],
      taken: async (cursor) =>
        (await app.public.get('/market/listings', { query: { cursor, tld: 'com' } })).status ===
        200,
    },
    'link of a checkout': {
      good: ['checkout link'],
      async taken(token) {
        const url = new URL(session.url);
        url.searchParams.set('pt', token);
        return (await fetch(url)).status === 200;
      },
    },
    'form of a checkout': {
      good: ['checkout form'],
      async taken(token) {
        const url = new URL(session.url);
        url.pathname += '/pay';
        const answer = await fetch(url, {
          method: 'POST',
          body: new URLSearchParams({ form: token }),
        });
        // The page again, with what is missing of the buyer; a form that is not ours is told apart.
        return (await answer.text()).includes('name="number"');
      },
    },
    'link of a case': {
      good: ['progress link'],
      taken: async (token) =>
        (await fetch(`${app.url}/brokerage/${caseId}?pt=${encodeURIComponent(token)}`)).status ===
        200,
    },
    'bearer token of the public API': {
      good: ['access token'],
      taken: async (token) => (await app.public.get('/domains', { token })).status === 200,
    },
    'bearer token of the tool server': {
      good: ['access token'],
      taken: async (token) =>
        (await fetch(`${app.url}/api`, { headers: { Authorization: `Bearer ${token}` } }))
          .status !== 401,
    },
    'bearer token of ops': {
      good: ['session of ops'],
      taken: async (token) =>
        (
          await fetch(`${app.url}/ops/api/queues`, {
            headers: { Authorization: `Bearer ${token}` },
          })
        ).status === 200,
    },
    'session cookie of ops': {
      good: ['session of ops'],
      taken: async (token) =>
        (await fetch(`${app.url}/ops/api/queues`, { headers: { Cookie: `ops_session=${token}` } }))
          .status === 200,
    },
    'refresh token': {
      good: ['refresh token'],
      taken: async (token) => (await client.refresh(token)).status === 200,
    },
    'code to redeem': {
      good: ['authorization code'],
      taken: async (code) => (await client.redeem({ code })).status === 200,
    },
  };

describe('a cursor of one list', () => {
  const lists = partnerRoutes
    .filter(({ method, query }) => {
      const { properties = {} } = (query ?? {}) as Partial<TObject>;
      return method === 'GET' && 'cursor' in properties;
    })
    .map(({ path }) => path);

  it('exists for every kind of list, so that the next test proves something', () => {
    expect(lists.length).toBeGreaterThan(10);
    expect(lists).toContain('/v1/brokerage');
  });

  it.each(lists)('is an invalid_cursor at %s, if that is not its list', async (path) => {
    const { settlements } = (await partner.client.get('/v1/settlements').expect(200)).body;
    const list = path.replace(':id', settlements[0].id);
    const good = path === '/v1/brokerage' ? 'cursor of cases' : '';
    await partner.client.get(list).expect(200);
    for (const [name, cursor] of Object.entries(tokens)) {
      const { status, body } = await partner.client.get(list, { query: { cursor } });
      const verdict = [name, status, body.error?.code];
      expect(verdict).toEqual(
        name === good ? [name, 200, undefined] : [name, 400, 'invalid_cursor'],
      );
    }
  });
});

describe('a token used in place of another', () => {
  it.each(Object.keys(PLACES))('is accepted as %s only where it belongs', async (place) => {
    const at = PLACES[place];
    for (const [name, token] of Object.entries(tokens)) {
      // Of another client: what is refused to this one, it must not spend either.
      const taken = at?.good.includes(name) && place !== 'refresh token';
      expect([name, await at?.taken(token)]).toEqual([name, taken]);
    }
  });

  it('is rejected for another object of the same kind', async () => {
    const other = await givenSession(app, partner.client);
    const url = new URL(session.url);
    url.searchParams.set('pt', ptOf(other.url));
    expect((await fetch(url)).status).toBe(403);
    const { id } = await givenCase(app.runtime, partner);
    const pt = encodeURIComponent(tokens['progress link'] ?? '');
    expect((await fetch(`${app.url}/brokerage/${id}?pt=${pt}`)).status).toBe(403);
  });
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a forged signed token', () => {
  const SECRETS_KEY = secretsKey();
  const claims = () => ({ sub: session.id, exp: 4_102_444_800 });
  const hs256 = (head: object, key: string | Buffer) => {
    const text = `${part(head)}.${part(claims())}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const open = async (token: string) => {
    const url = new URL(session.url);
    url.searchParams.set('pt', token);
    return (await fetch(url)).status;
  };

  it('would be accepted with our key, so that the following tests prove something', async () => {
    expect(await open(hs256({ alg: 'HS256' }, deriveKey(SECRETS_KEY, 'token:checkout')))).toBe(200);
  });

  it.each<[string, () => string]>([
    ['no signature', () => `${part({ alg: 'none' })}.${part(claims())}.`],
    ['an empty signature', () => `${part({ alg: 'HS256' })}.${part(claims())}.`],
    ['an empty key', () => hs256({ alg: 'HS256' }, '')],
    ['the master key itself', () => hs256({ alg: 'HS256' }, SECRETS_KEY)],
    [
      'the key of another purpose',
      () => hs256({ alg: 'HS256' }, deriveKey(SECRETS_KEY, 'token:quote')),
    ],
    [
      'another algorithm in its header',
      () => hs256({ alg: 'HS512' }, deriveKey(SECRETS_KEY, 'token:checkout')),
    ],
    [
      'a key from its own header',
      () => hs256({ alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } }, Buffer.from([0])),
    ],
    ['a key ID that names a file', () => hs256({ alg: 'HS256', kid: '/dev/null' }, '')],
    [
      'a critical header',
      () =>
        hs256(
          { alg: 'HS256', crit: ['b64'], b64: false },
          deriveKey(SECRETS_KEY, 'token:checkout'),
        ),
    ],
    ['five parts, as if encrypted', () => `${part({ alg: 'dir', enc: 'A256GCM' })}..a.b.c`],
  ])('is rejected with %s', async (_what, forge) => {
    expect(await open(forge())).toBe(403);
  });

  it('is rejected in every other spelling of a valid token', async () => {
    const good = ptOf(session.url);
    const [head = '', body = '', signature = ''] = good.split('.');
    const longer = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(42) + 1);
    for (const spelling of [
      `${good}=`,
      `${good} `,
      `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}=`,
      `${head}.${body}.${longer}`,
      `${good}.`,
      good.toUpperCase(),
    ]) {
      if (spelling !== good) expect([spelling, await open(spelling)]).toEqual([spelling, 403]);
    }
  });
});

describe('a signed request', () => {
  it('is accepted once when it is sent fifty times at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const nonce = randomUUID();
      const timestamp = String(Math.floor(app.runtime.clock.now().getTime() / 1_000));
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => sendByHand(app.url, partner, { nonce, timestamp })),
      );
      const codes = answers.map(({ status, code }) => code ?? status);
      expect(codes.filter((code) => code === 200)).toHaveLength(1);
      expect(codes.filter((code) => code === 'replay_detected')).toHaveLength(49);
    }
  });

  it('is not valid for another method, path, query, body or key', async () => {
    const timestamp = String(Math.floor(app.runtime.clock.now().getTime() / 1_000));
    const secret = partner.secret;
    const path = '/api/partner/v1/orders';
    const nonce = randomUUID();
    const hash = createHash('sha256').update('').digest('hex');
    const text = ['GET', path, '', timestamp, nonce, hash].join('\n');
    const signature = `v1=${createHmac('sha256', secret).update(text).digest('hex')}`;
    const headers = {
      'X-Service-Key-Id': partner.keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': signature,
    };
    const other = await app.partner();
    const send = async (to: string, init: RequestInit = {}) =>
      (await fetch(app.url + to, { ...init, headers: { ...headers, ...init.headers } })).status;
    for (const [to, init] of [
      [path, { method: 'POST' }],
      [`${path}?status=PAID`, {}],
      [`${path}?`, { headers: { 'X-Service-Nonce': randomUUID() } }],
      ['/api/partner/v1/events', {}],
      ['/api/partner/v1/../v1/events', {}],
      ['/api/partner/v1/%6frders', {}],
      [path, { headers: { 'X-Service-Timestamp': String(Number(timestamp) - 1) } }],
      [path, { headers: { 'X-Service-Key-Id': other.keyId } }],
    ] as [string, RequestInit][]) {
      expect([to, [401, 404].includes(await send(to, init))]).toEqual([to, true]);
    }
    // None of them consumed the nonce.
    expect(await send(path)).toBe(200);
    expect(await send(path)).toBe(401);
  });
});
