import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenCredential, givenListing } from '../../support/factories.ts';
import { givenRecordedOrder, sell } from '../../support/sales.ts';

describe('GET /v1/orders and /v1/orders/{public_id}', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  it('pages newest first, each order once, while new ones are recorded', async () => {
    const { client } = await app.partner();
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      made.push((await sell(client, await givenListing(app.runtime)).expect(201)).body.public_id);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { orders: { public_id: string }[]; next_cursor: string | null } } =
        await client
          .get('/v1/orders', { query: { limit: 3, ...(cursor !== null && { cursor }) } })
          .expect(200);
      seen.push(...body.orders.map((order) => order.public_id));
      cursor = body.next_cursor;
      if (cursor) await sell(client, await givenListing(app.runtime)).expect(201);
    } while (cursor);
    expect(seen).toEqual(made.reverse());
  });

  it('filters by status, domain and date, and rejects a cursor of other filters', async () => {
    const { client } = await app.partner();
    const held = await givenListing(app.runtime, { domain: 'hold-filter.com' });
    await sell(client, held).expect(201);
    const plain = await givenListing(app.runtime);
    await sell(client, plain).expect(201);
    const list = async (query: Record<string, string | number>) =>
      (await client.get('/v1/orders', { query }).expect(200)).body.orders.map(
        (o: { domain: string }) => o.domain,
      );
    expect(await list({ status: 'MANUAL_REVIEW' })).toEqual([held.domain]);
    expect(await list({ status: 'MANUAL_REVIEW,EXTERNALLY_PAID' })).toHaveLength(2);
    expect(await list({ domain: plain.domain.toUpperCase() })).toEqual([plain.domain]);
    expect(await list({ from: '2100-01-01' })).toEqual([]);
    expect(await list({ to: '2100-01-01' })).toHaveLength(2);

    const page = await client.get('/v1/orders', { query: { limit: 1 } }).expect(200);
    const refused = async (query: Record<string, string | number>) =>
      (await client.get('/v1/orders', { query }).expect(400)).body.error.code;
    const reused = { limit: 1, status: 'PAID', cursor: page.body.next_cursor };
    expect(await refused(reused)).toBe('invalid_cursor');
    expect(await refused({ from: '2026-02-01', to: '2026-01-01' })).toBe('validation_error');
    expect(
      (await client.get('/v1/orders', { query: { status: 'LOST' } }).expect(400)).body.error
        .details[0].path,
    ).toBe('/status');
    for (const limit of [0, 101, 'many', 1.5])
      await client.get('/v1/orders', { query: { limit } }).expect(400);
  });

  it.each(['x', 'x'.repeat(5_000)])('rejects an invalid cursor: %.9s', async (cursor) => {
    const { client } = await app.partner();
    const answer = await client.get('/v1/orders', { query: { cursor } }).expect(400);
    expect(answer.body.error.code).toBe('invalid_cursor');
  });

  it.each(['2026-02-30', '2016-12-31T23:59:60Z', '2026-01-01T00:00:00+05', 'yesterday'])(
    'rejects %s as a date',
    async (from) => {
      const { client } = await app.partner();
      const answer = await client.get('/v1/orders', { query: { from } }).expect(400);
      expect(answer.body.error).toMatchObject({
        code: 'validation_error',
        details: expect.arrayContaining([{ path: '/from', message: expect.any(String) }]),
      });
    },
  );

  it('returns the timeline and the transfer of an order', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const { body } = await partner.client.get(`/v1/orders/${order.public_id}`).expect(200);
    expect(body).toEqual({
      ...order,
      timeline: [
        { at: order.created_at, status: 'EXTERNALLY_PAID', event: 'order.recorded', note: null },
      ],
      transfer: null,
      delivery: {
        method: 'account',
        status: null,
        since: null,
        expires_at: null,
        requested_by: null,
        next_step: null,
      },
      refund: null,
      documents: [],
    });
  });

  it('requires the buy or search scope, and hides orders of other partners and environments', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const path = `/v1/orders/${order.public_id}`;
    const searcher = app.as(
      await givenCredential(app.runtime, partner.partnerId, { scopes: ['search'] }),
    );
    await searcher.get(path).expect(200);
    const webhooksOnly = app.as(
      await givenCredential(app.runtime, partner.partnerId, { scopes: ['webhook'] }),
    );
    const refused = await webhooksOnly.get(path).expect(403);
    expect(refused.body.error).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('buy'),
    });
    const live = app.as(
      await givenCredential(app.runtime, partner.partnerId, { environment: 'LIVE' }),
    );
    await live.get(path).expect(404);
    const stranger = await app.partner();
    await stranger.client.get(path).expect(404);
    expect((await stranger.client.get('/v1/orders').expect(200)).body.orders).toEqual([]);
  });
});
