import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RouteDefinition } from '../../api/http/route-table.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { createSession } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenAgreedCase } from '../support/brokerage.ts';
import { givenOwnerOf } from '../support/bulk.ts';
import { callAsOwner, callPartnerApi, OWNED } from '../support/example-calls.ts';
import { givenCredential, givenListing, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor } from '../support/oauth.ts';
import { givenOrder } from '../support/orders.ts';
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
  /** By operation id: the body of the owner's call. */
  const bodies = new Map<string, unknown>();
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
      bodies.set(operationId, request?.body);
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

  describe('the other way around', () => {
    /** By operation id: the status for the partner's SANDBOX key, then for its LIVE key. */
    const statuses = new Map<string, [sandbox: number, live: number]>();
    const byId = partnerRoutes.filter(({ path }) => path.includes(':'));

    beforeAll(async () => {
      const { runtime } = app;
      const { partnerId, client: sandbox } = await app.partner();
      const live = app.as(await givenCredential(runtime, partnerId, { environment: 'LIVE' }));
      const inLive = await givenLiveObjects(app, partnerId, live);
      // Deletions last: the other calls need what they delete.
      const ordered = byId.toSorted(
        (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
      );
      for (const { method, path, operationId } of ordered) {
        const [kind = ''] = /(?<=\/)[\w-]+(?=\/:)/.exec(path) ?? [];
        const id = inLive[kind];
        if (!id) throw new Error(`givenLiveObjects has no ${kind}`);
        const to = path.replace(/:\w+/, encodeURIComponent(id));
        const body = bodies.get(operationId);
        const options = body === undefined ? {} : { body };
        const ask = async (client: SignedClient) =>
          (await client.request(method, to, { ...options, idempotencyKey: randomUUID() })).status;
        const events = () => runtime.db.knex('events').orderBy('id').pluck('id');
        const before = await events();
        const status = await ask(sandbox);
        expect([operationId, await events()]).toEqual([operationId, before]);
        statuses.set(operationId, [status, await ask(live)]);
      }
    });

    it.each(rowsOf(byId))(
      'returns 404 for %s to a SANDBOX key that names a LIVE object',
      (_row, operationId) => {
        const [sandbox, itself] = statuses.get(operationId) ?? [];
        expect(sandbox).toBe(404);
        // Otherwise this would prove nothing.
        if (operationId !== 'advanceOrder') expect(itself).not.toBe(404);
      },
    );
  });

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

/** Creates a LIVE object of a partner for each kind that paths of the partner API name. */
async function givenLiveObjects(
  { runtime }: TestApp,
  partnerId: string,
  client: SignedClient,
): Promise<Record<string, string>> {
  const environment = 'LIVE';
  const caller = { partnerId, environment, keyId: 'test', commissionBps: 1_500 } as const;
  const url = 'https://partner.example/hooks/live';
  const post = async (path: string, body: object) =>
    (await client.post(`/v1/${path}`, { body, idempotencyKey: randomUUID() }).expect(201)).body;
  const endpoint = await post('webhooks/endpoints', { url, name: 'live' });
  const listing = (more: object = {}) => givenListing(runtime, { environment, ...more });
  const order = (await sell(client, await listing()).expect(201)).body;
  const { domain } = await listing();
  const quote = await post('quotes', { domain });
  const { domain: wanted } = await listing({ offersAccepted: true });
  const buyer = { email: 'buyer@example.com' };
  const offer = await post('offers', { domain: wanted, amount_cents: 120_000, buyer });
  const deliveredAt = addMs(runtime.clock.now(), -60 * DAY);
  await givenOrder(runtime, caller, { paymentModel: 'hosted_checkout', deliveredAt });
  const until = runtime.clock.now();
  const [settlement = ''] = await closePartnerPeriods(runtime, { ...caller, until });
  const read = async (path: string) => (await client.get(`/v1/${path}`).expect(200)).body;
  const [delivery] = (await read('webhooks/deliveries')).deliveries;
  const { session } = await createSession(runtime, caller, {
    ...{ domain: (await listing()).domain, quote: null, clientReference: null },
    ...{ returnUrl: null, cancelUrl: null, buyerEmail: null },
  });
  const window = { from: '2026-11-20', to: '2026-11-21' };
  const replay = await client
    .post(`/v1/webhooks/endpoints/${endpoint.id}/replay`, { body: window })
    .expect(202);
  return {
    domains: domain,
    quotes: quote.quote_id,
    orders: order.public_id,
    offers: offer.id,
    'checkout-session': session.id,
    settlements: settlement,
    payouts: (await read('payouts')).payouts[0].id,
    documents: (await read(`settlements/${settlement}`)).documents[0].id,
    brokerage: (await givenAgreedCase(runtime, caller, 'USD')).id,
    endpoints: endpoint.id,
    replays: replay.body.id,
    deliveries: delivery.id,
    events: delivery.event_id,
  };
}

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
