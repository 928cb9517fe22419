import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RouteDefinition } from '../../api/http/route-table.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenOwnerOf } from '../support/bulk.ts';
import { callAsOwner, callPartnerApi, OWNED } from '../support/example-calls.ts';
import { givenCredential, givenListing, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor } from '../support/oauth.ts';
import { partnerCalls, publicCalls, recording } from '../support/recorded-examples.ts';
import { sell } from '../support/sales.ts';
import type { ClientAnswer, SignedClient } from '../support/signed-client.ts';

const IDS = /\b[a-z]{2,5}_[0-9a-z]{26}\b/g;

const rowsOf = (routes: readonly RouteDefinition[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route.operationId] as const);

describe('isolation between partners and environments', () => {
  let app: TestApp;
  let owner: PartnerFixture & { client: SignedClient };
  const strangers: [string, SignedClient][] = [];
  /** By operation id: the responses others got to the calls that the owner made next. */
  const refusals = new Map<string, { who: string; answer: ClientAnswer }[]>();
  /** Why the owner's calls failed, for example because somebody else's call succeeded first. */
  let failure: unknown;
  /** Every id in a response to the owner, and other values of its own. */
  const owned = new Set<string>();

  beforeAll(async () => {
    app = await startTestApp();
    owner = await app.partner({ affiliate: true });
    const other = await app.partner({ affiliate: true });
    const live = await givenCredential(app.runtime, owner.partnerId, { environment: 'LIVE' });
    strangers.push(['another partner', other.client], ['the same partner in LIVE', app.as(live)]);
    for (const text of [owner.partnerId, owner.keyId, 'buyer@example.com']) owned.add(text);
    const { call } = recording(async (operationId, request) => {
      const route = partnerRoutes.find((each) => each.operationId === operationId);
      if (route?.method === 'GET' || route?.path.includes(':')) {
        for (const [who, client] of strangers) {
          const answer = await partnerCalls(client)(operationId, request);
          refusals.set(operationId, [...(refusals.get(operationId) ?? []), { who, answer }]);
        }
      }
      const answer = await partnerCalls(owner.client)(operationId, request);
      for (const [id] of answer.text.matchAll(IDS)) owned.add(id);
      return answer;
    });
    await callPartnerApi(app, owner, call).catch((error: unknown) => {
      failure = error;
    });
  });
  afterAll(() => app.stop());

  const foundBy = (operationId: string) => {
    const found = refusals.get(operationId);
    if (!found) throw failure ?? new Error(`call ${operationId} in test/support/example-calls.ts`);
    return found;
  };

  it('lets the owner make every call that others tried', () => {
    expect(failure).toBeUndefined();
  });

  /** Partners share the inventory of an environment. */
  const SHARED_WITHIN_ENVIRONMENT = new Set(['getDomain']);

  it.each(rowsOf(partnerRoutes.filter(({ path }) => path.includes(':'))))(
    'returns 404 for %s to everyone else',
    (_row, operationId) => {
      for (const { who, answer } of foundBy(operationId)) {
        if (SHARED_WITHIN_ENVIRONMENT.has(operationId) && who === 'another partner') continue;
        expect([who, answer.status, answer.body?.error?.code]).toEqual([who, 404, 'not_found']);
      }
    },
  );

  const nameless = ({ method, path }: RouteDefinition) => method === 'GET' && !path.includes(':');

  it.each(rowsOf(partnerRoutes.filter(nameless)))(
    'returns nothing of the owner’s for %s to everyone else',
    (_row, operationId) => {
      for (const { who, answer } of foundBy(operationId)) {
        expect([who, [200, 403, 404].includes(answer.status)]).toEqual([who, true]);
        expect([who, [...owned].filter((id) => answer.text.includes(id))]).toEqual([who, []]);
      }
    },
  );

  it('returns the owner’s own objects to the owner', async () => {
    for (const path of [
      'orders',
      'events',
      'brokerage',
      'webhooks/deliveries',
      'settlements',
      'transactions',
      'links',
    ]) {
      const { text } = await owner.client.get(`/v1/${path}`).expect(200);
      expect([path, text.match(IDS)?.some((id) => owned.has(id))]).toEqual([path, true]);
    }
  });

  it('excludes the owner’s figures from the totals of others', async () => {
    for (const [, client] of strangers) {
      expect((await client.get('/v1/transactions').expect(200)).body).toMatchObject({
        transactions: [],
        totals: [],
      });
      const { settlements } = (await client.get('/v1/settlements').expect(200)).body;
      expect(settlements.filter((each: { status: string }) => each.status !== 'open')).toEqual([]);
    }
  });

  it.each(['orders', 'transactions', 'links'])(
    'rejects cursors of another partner’s %s',
    async (list) => {
      for (let made = 0; made < 2; made += 1) {
        await sell(owner.client, await givenListing(app.runtime)).expect(201);
        await owner.client.post('/v1/links', { body: { kind: 'generic' } }).expect(201);
      }
      const { next_cursor: cursor } = (
        await owner.client.get(`/v1/${list}`, { query: { limit: 1 } }).expect(200)
      ).body;
      await owner.client.get(`/v1/${list}`, { query: { cursor } }).expect(200);
      for (const [who, client] of strangers) {
        const { status, body } = await client.get(`/v1/${list}`, { query: { cursor } });
        expect([who, status, body.error?.code]).toEqual([who, 400, 'invalid_cursor']);
      }
    },
  );

  it('rejects ids of another partner’s objects in bodies and queries', async () => {
    const listing = await givenListing(app.runtime);
    const { domain } = listing;
    const { body: sold } = await sell(owner.client, await givenListing(app.runtime)).expect(201);
    const { body: quote } = await owner.client.post('/v1/quotes', { body: { domain } }).expect(201);
    const { body: history } = await owner.client
      .get('/v1/events', { query: { limit: 1 } })
      .expect(200);
    const order = { order_id: sold.public_id, reason: 'other' };
    const [[, other], [, live]] = strangers as [[string, SignedClient], [string, SignedClient]];
    for (const client of [other, live]) {
      await client.post('/v1/refunds', { body: order }).expect(404);
      await client.get('/v1/events', { query: { after_id: history.events[0].id } }).expect(400);
    }
    await live.get('/v1/pricing', { query: { domain } }).expect(404);
    expect((await sell(other, listing, { more: { quote_id: quote.quote_id } })).status).toBe(400);
    await other.get('/v1/events', { query: { after_id: history.next_cursor } }).expect(400);
  });

  it('scopes an idempotency key to its partner', async () => {
    const idempotencyKey = randomUUID();
    const [[, other]] = strangers as [[string, SignedClient]];
    const [first, second] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    await sell(owner.client, first, { idempotencyKey }).expect(201);
    const answer = await sell(other, second, { idempotencyKey }).expect(201);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('isolation between domain owners', () => {
  let app: TestApp;
  let stranger: string;
  const refusals = new Map<string, ClientAnswer>();

  beforeAll(async () => {
    app = await startTestApp();
    const tokenOf = ({ userId }: { userId: string }) =>
      accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
    const owner = await tokenOf(await givenOwnerOf(app.runtime, OWNED));
    stranger = await tokenOf(await givenOwnerOf(app.runtime, 0));
    const mine = publicCalls(app, owner);
    const { call } = recording(async (operationId, request) => {
      if (naming.some((route) => route.operationId === operationId)) {
        const { status } = (await mine('getBulkJob', request)).body;
        refusals.set(operationId, await publicCalls(app, stranger)(operationId, request));
        expect((await mine('getBulkJob', request)).body.status).toBe(status);
      }
      return mine(operationId, request);
    });
    await callAsOwner(call);
  });
  afterAll(() => app.stop());

  /** Its path parameter is not an object's id. */
  const NAMES_AN_OPERATION = 'startBulkJob';
  const naming = publicRoutes.filter(
    ({ scope, path, operationId }) =>
      scope && path.includes(':') && operationId !== NAMES_AN_OPERATION,
  );

  it.each(rowsOf(naming))('returns 404 for %s to everyone else', (_row, operationId) => {
    const answer = refusals.get(operationId);
    if (!answer) throw new Error(`call ${operationId} in test/support/example-calls.ts`);
    expect([answer.status, answer.body?.error?.code]).toEqual([404, 'not_found']);
  });

  it('does not list an owner’s domains to others', async () => {
    const { body } = await app.public.get('/domains', { token: stranger }).expect(200);
    expect(body.items).toEqual([]);
  });
});
