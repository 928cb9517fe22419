import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { publicRoutes } from '../../api/public/public-router.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenBulkJob, givenOwnerOf } from '../support/bulk.ts';
import { givenCredential, givenListing, type PartnerFixture } from '../support/factories.ts';
import { accessTokenFor } from '../support/oauth.ts';
import { givenOrder } from '../support/orders.ts';
import { sell } from '../support/sales.ts';
import type { SignedClient } from '../support/signed-client.ts';

/** What a partner owns after a sale was quoted, recorded, settled and announced. */
interface Possessions {
  domain: string;
  quoteId: string;
  orderId: string;
  eventId: string;
  deliveryId: string;
  endpointId: string;
  replayId: string;
  settlementId: string;
  payoutId: string;
  documentId: string;
  caseId: string;
  sessionId: string;
  offerId: string;
  linkId: string;
}

describe('the walls between partners and environments', () => {
  let app: TestApp;
  let owner: PartnerFixture & { client: SignedClient };
  let owned: Possessions;
  const strangers: [string, SignedClient][] = [];

  beforeAll(async () => {
    app = await startTestApp();
    owner = await app.partner({ affiliate: true });
    owned = await possess(owner.client);
    const other = await app.partner({ affiliate: true });
    const live = await givenCredential(app.runtime, owner.partnerId, { environment: 'LIVE' });
    strangers.push(['another partner', other.client], ['the same partner in LIVE', app.as(live)]);
  });
  afterAll(() => app.stop());

  async function possess(client: SignedClient): Promise<Possessions> {
    const hook = { url: 'http://127.0.0.1:8080/hook', secret: 'a-secret-of-sixteen-or-more' };
    await client.put('/webhooks', { body: hook }).expect(200);
    await givenOrder(app.runtime, owner, { paymentModel: 'hosted_checkout' });
    const listing = await givenListing(app.runtime);
    const { body: order } = await sell(client, listing).expect(201);
    for (const to of ['TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']) {
      await client
        .post(`/v1/sandbox/orders/${order.public_id}/advance`, { body: { to } })
        .expect(200);
    }
    const held = await givenListing(app.runtime);
    const { body: quote } = await client
      .post('/v1/quotes', { body: { domain: held.domain } })
      .expect(201);
    const { endpoints } = (await client.get('/v1/webhooks/endpoints').expect(200)).body;
    const endpointId = endpoints[0].id;
    const { body: replay } = await client
      .post(`/v1/webhooks/endpoints/${endpointId}/replay`, {
        body: { from: '2026-01-01', to: '2026-01-02' },
      })
      .expect(202);
    const { settlements } = (await client.get('/v1/settlements').expect(200)).body;
    const settlementId = settlements.find(
      (each: { status: string }) => each.status === 'closed',
    ).id;
    const { body: settlement } = await client.get(`/v1/settlements/${settlementId}`);
    const { body: session } = await client
      .post('/v1/checkout-session', { body: { domain: held.domain } })
      .expect(201);
    const wanted = await givenListing(app.runtime, { offersAccepted: true });
    const { body: offer } = await client
      .post('/v1/offers', {
        body: { domain: wanted.domain, amount_cents: 1, buyer: { email: 'buyer@example.com' } },
      })
      .expect(201);
    const { body: opened } = await client
      .post('/v1/brokerage', {
        body: {
          domain: 'wanted-by-the-owner.com',
          tier: 'managed',
          buyer_email: 'buyer@example.com',
          budget: 500_000,
        },
      })
      .expect(201);
    return {
      domain: held.domain,
      quoteId: quote.quote_id,
      sessionId: session.id,
      offerId: offer.id,
      orderId: order.public_id,
      eventId: (await client.get('/v1/events').expect(200)).body.events[0].id,
      endpointId,
      replayId: replay.id,
      deliveryId: (await client.get('/v1/webhooks/deliveries').expect(200)).body.deliveries[0].id,
      settlementId,
      payoutId: (await client.get('/v1/payouts').expect(200)).body.payouts[0].id,
      documentId: settlement.documents[0].id,
      caseId: opened.case_id,
      linkId: (await client.post('/v1/links', { body: { kind: 'generic' } }).expect(201)).body.id,
    };
  }

  const webhookPathsOf = (mine: Possessions, base: string): Record<string, string> => ({
    ...Object.fromEntries(
      ['GET', 'PATCH', 'DELETE'].map((method) => [
        `${method} ${base}/endpoints/:id`,
        `${base}/endpoints/${mine.endpointId}`,
      ]),
    ),
    ...Object.fromEntries(
      ['rotate-secret', 'test', 'replay'].map((verb) => [
        `POST ${base}/endpoints/:id/${verb}`,
        `${base}/endpoints/${mine.endpointId}/${verb}`,
      ]),
    ),
    [`GET ${base}/replays/:id`]: `${base}/replays/${mine.replayId}`,
    [`POST ${base}/replays/:id/cancel`]: `${base}/replays/${mine.replayId}/cancel`,
  });

  /** Every route that names an object, with the owner's object in it. A new one must be added here. */
  const pathsOf = (mine: Possessions): Record<string, string> => ({
    'GET /v1/domains/:name': `/v1/domains/${mine.domain}`,
    'DELETE /v1/quotes/:quote_id': `/v1/quotes/${mine.quoteId}`,
    'GET /v1/orders/:public_id': `/v1/orders/${mine.orderId}`,
    'POST /v1/sandbox/orders/:public_id/advance': `/v1/sandbox/orders/${mine.orderId}/advance`,
    'GET /v1/offers/:id': `/v1/offers/${mine.offerId}`,
    'POST /v1/offers/:id/accept': `/v1/offers/${mine.offerId}/accept`,
    'POST /v1/offers/:id/counter': `/v1/offers/${mine.offerId}/counter`,
    'POST /v1/offers/:id/decline': `/v1/offers/${mine.offerId}/decline`,
    'GET /v1/checkout-session/:id': `/v1/checkout-session/${mine.sessionId}`,
    'GET /v1/settlements/:id': `/v1/settlements/${mine.settlementId}`,
    'GET /v1/payouts/:id': `/v1/payouts/${mine.payoutId}`,
    'GET /v1/documents/:id': `/v1/documents/${mine.documentId}`,
    'GET /v1/brokerage/:case_id': `/v1/brokerage/${mine.caseId}`,
    'POST /v1/events/:id/resend': `/v1/events/${mine.eventId}/resend`,
    'POST /v1/webhooks/deliveries/:id/resend': `/v1/webhooks/deliveries/${mine.deliveryId}/resend`,
    ...webhookPathsOf(mine, '/v1/webhooks'),
  });
  /** Of every route that writes, the fields that its body needs; the others pass them over. */
  const BODY = { to: 'REFUNDED', amount_cents: 2 };
  const BODIES: Record<string, object> = {
    replay: { from: '2026-01-01', to: '2026-01-02' },
  };
  /** The inventory of an environment is shared by its partners. */
  const SHARED_WITHIN_ENVIRONMENT = new Set(['GET /v1/domains/:name']);
  const namingRoutes = partnerRoutes.filter((route) => route.path.includes(':'));

  it.each(namingRoutes.map((route) => `${route.method} ${route.path}`))(
    '%s is a 404 for everybody else',
    async (row) => {
      const [method = ''] = row.split(' ');
      const path = pathsOf(owned)[row];
      if (path === undefined) throw new Error(`add ${row} to pathsOf, and what it needs to BODY`);
      for (const [who, client] of strangers) {
        if (SHARED_WITHIN_ENVIRONMENT.has(row) && who === 'another partner') continue;
        const answer = await client.request(method, path, {
          ...(method !== 'GET' && { body: BODIES[path.split('/').at(-1) ?? ''] ?? BODY }),
        });
        expect([who, answer.status, answer.body?.error?.code]).toEqual([who, 404, 'not_found']);
      }
    },
  );

  /** What the reads without a name in their path want besides. */
  const QUERIES: Record<string, Record<string, string>> = {
    'GET /v1/domains/search': { q: 'listing' },
    'GET /v1/availability': { domain: 'unlisted-anywhere.com' },
    'GET /v1/pricing': { domain: 'unlisted-anywhere.com' },
    'GET /v1/brokerage/eligibility': { domain: 'unlisted-anywhere.com' },
  };
  const nameless = partnerRoutes.filter(
    (route) => route.method === 'GET' && !route.path.includes(':'),
  );

  it.each(nameless.map((route) => `${route.method} ${route.path}`))(
    '%s shows nobody else anything of the owner',
    async (row) => {
      const [, path = ''] = row.split(' ');
      const ids = [...Object.values(owned), owner.partnerId, owner.keyId, 'buyer@example.com'];
      for (const [who, client] of strangers) {
        const { status, text } = await client.get(path, { query: QUERIES[row] ?? {} });
        expect([who, row, [200, 403, 404].includes(status)]).toEqual([who, row, true]);
        const foreign = ids.filter((id) => text.includes(id) && id !== owned.domain);
        expect([who, foreign]).toEqual([who, []]);
      }
    },
  );

  it('shows the owner what the others do not see', async () => {
    const shown = async (path: string) => (await owner.client.get(path).expect(200)).text;
    expect(await shown('/v1/orders')).toContain(owned.orderId);
    expect(await shown('/v1/events')).toContain(owned.eventId);
    expect(await shown('/v1/brokerage')).toContain(owned.caseId);
    expect(await shown('/v1/webhooks/deliveries')).toContain(owned.deliveryId);
    expect(await shown('/v1/settlements')).toContain(owned.settlementId);
    expect(await shown('/v1/transactions')).toContain(owned.orderId);
    expect(await shown('/v1/links')).toContain(owned.linkId);
  });

  it('counts nothing of the owner in totals of others', async () => {
    for (const [, client] of strangers) {
      expect((await client.get('/v1/transactions').expect(200)).body).toMatchObject({
        transactions: [],
        totals: [],
      });
      const { settlements } = (await client.get('/v1/settlements').expect(200)).body;
      expect(settlements.filter((each: { status: string }) => each.status !== 'open')).toEqual([]);
    }
  });

  it('leads nobody to rows of others by a cursor', async () => {
    await sell(owner.client, await givenListing(app.runtime)).expect(201);
    const { next_cursor: cursor } = (
      await owner.client.get('/v1/orders', { query: { limit: 1 } }).expect(200)
    ).body;
    expect(cursor).toEqual(expect.any(String));
    for (const [, client] of strangers) {
      const { orders } = (await client.get('/v1/orders', { query: { cursor } }).expect(200)).body;
      expect(orders).toEqual([]);
    }
  });

  it('refuses names of foreign objects in bodies, queries and keys', async () => {
    const order = { order_id: owned.orderId, reason: 'other' };
    const [[, other], [, live]] = strangers as [[string, SignedClient], [string, SignedClient]];
    for (const client of [other, live]) {
      await client.post('/v1/refunds', { body: order }).expect(404);
      await client.get('/v1/events', { query: { after_id: owned.eventId } }).expect(400);
    }
    await live.get('/v1/pricing', { query: { domain: owned.domain } }).expect(404);
    const held = { domain: owned.domain, priceCents: 485_000 };
    expect((await sell(other, held, { more: { quote_id: owned.quoteId } })).status).toBe(400);
    const { next_cursor } = (
      await owner.client.get('/v1/events', { query: { limit: 1 } }).expect(200)
    ).body;
    await other.get('/v1/events', { query: { after_id: next_cursor } }).expect(400);
  });

  it('binds an idempotency key to its credential', async () => {
    const idempotencyKey = randomUUID();
    const [[, other]] = strangers as [[string, SignedClient]];
    const [first, second] = [await givenListing(app.runtime), await givenListing(app.runtime)];
    await sell(owner.client, first, { idempotencyKey }).expect(201);
    const answer = await sell(other, second, { idempotencyKey }).expect(201);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('the walls between the owners of domains', () => {
  let app: TestApp;
  let jobId: string;
  let owner: string;
  let stranger: string;

  beforeAll(async () => {
    app = await startTestApp();
    const tokenOf = ({ userId }: { userId: string }) =>
      accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
    const holder = await givenOwnerOf(app.runtime, 3);
    [owner, stranger] = [await tokenOf(holder), await tokenOf(await givenOwnerOf(app.runtime, 0))];
    jobId = (await givenBulkJob(app.runtime, holder, { op: 'unlist', params: {} })).id;
  });
  afterAll(() => app.stop());

  /** Every public route that names an object of a user. A new one must be added here. */
  const pathsOf = (): Record<string, string> => ({
    'GET /domains/bulk/jobs/:id': `/domains/bulk/jobs/${jobId}`,
    'POST /domains/bulk/jobs/:id/cancel': `/domains/bulk/jobs/${jobId}/cancel`,
    'GET /domains/bulk/jobs/:id/stream': `/domains/bulk/jobs/${jobId}/stream`,
  });
  /** Its parameter names no object. */
  const NAMES_AN_OPERATION = 'POST /domains/bulk/:op';
  const naming = publicRoutes
    .filter((route) => route.scope && route.path.includes(':'))
    .map((route) => `${route.method} ${route.path}`)
    .filter((row) => row !== NAMES_AN_OPERATION);

  it.each(naming)('%s is a 404 for everybody else', async (row) => {
    const [method = ''] = row.split(' ');
    const path = pathsOf()[row];
    if (path === undefined) throw new Error(`add ${row} to this test`);
    const answer = await app.public.request(method, path, { token: stranger });
    expect([answer.status, answer.body?.error?.code]).toEqual([404, 'not_found']);
    const { body } = await app.public.get(`/domains/bulk/jobs/${jobId}`, { token: owner });
    expect(body.status).toBe('queued');
  });

  it('shows nobody else a domain', async () => {
    const { body } = await app.public.get('/domains', { token: stranger }).expect(200);
    expect(body.items).toEqual([]);
  });
});
