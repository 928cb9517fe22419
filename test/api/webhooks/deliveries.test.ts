import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { recordedOrder } from '../../support/events.ts';
import type { PartnerFixture } from '../../support/factories.ts';

const ENDPOINT = { url: 'https://partner.example/hooks', secret: 'a-secret-of-enough-length' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

async function record(partner: PartnerFixture, count: number): Promise<void> {
  const { partnerId, environment } = partner;
  const events = Array.from({ length: count }, (_, index) => recordedOrder(`ord_${index}`));
  await app.runtime.db.transact(async (uow) =>
    uow.events.add({ partnerId, environment }, ...events),
  );
}

async function subscriber(events = 0) {
  const partner = await app.partner();
  await partner.client.put('/webhooks', { body: ENDPOINT }).expect(200);
  if (events > 0) await record(partner, events);
  const list = async (query = {}) =>
    (await partner.client.get('/v1/webhooks/deliveries', { query }).expect(200)).body;
  return { ...partner, list };
}

const setDelivery = (id: string, changes: object) =>
  app.runtime.db.knex('webhook_deliveries').where('id', id).update(changes);

describe('GET /webhooks/deliveries', () => {
  it('returns a waiting delivery as pending', async () => {
    const partner = await subscriber(1);
    const { deliveries, next_cursor } = await partner.list();
    expect(next_cursor).toBeNull();
    expect(deliveries).toEqual([
      {
        id: expect.stringMatching(/^dlv_/),
        endpoint_id: expect.stringMatching(/^whe_/),
        event_id: expect.stringMatching(/^evt_/),
        event_type: 'order.recorded',
        status: 'pending',
        attempts: [],
        next_attempt_at: expect.any(String),
        created_at: expect.any(String),
        finished_at: null,
        resend_of: null,
        replay_id: null,
      },
    ]);
    expect((await partner.list({ status: 'pending' })).deliveries).toEqual(deliveries);
  });

  it('returns every attempt with its outcome, in order', async () => {
    const partner = await subscriber(1);
    const [{ id }] = (await partner.list()).deliveries;
    const at = new Date('2026-11-20T09:30:00.123Z');
    const attempt = { delivery_id: id, started_at: at, elapsed_ms: 12 };
    await app.runtime.db.knex('webhook_attempts').insert([
      {
        ...attempt,
        attempt: 2,
        status: 200,
        outcome: 'delivered',
        request_headers: { 'webhook-id': 'evt_1', 'x-tenant': '(hidden)' },
        response_headers: { 'content-type': 'text/plain' },
        response_body: 'ok',
      },
      { ...attempt, attempt: 1, outcome: 'timeout', detail: 'no complete answer within 5000 ms' },
    ]);
    await setDelivery(id, { state: 'delivered', finished_at: at });
    const [delivery] = (await partner.list({ status: 'delivered' })).deliveries;
    expect(delivery).toMatchObject({
      status: 'delivered',
      next_attempt_at: null,
      finished_at: at.toISOString(),
    });
    expect(delivery.attempts).toEqual([
      {
        attempt: 1,
        started_at: at.toISOString(),
        elapsed_ms: 12,
        status_code: null,
        outcome: 'timeout',
        detail: 'no complete answer within 5000 ms',
        request_headers: null,
        response_headers: null,
        response_body: null,
      },
      {
        attempt: 2,
        started_at: at.toISOString(),
        elapsed_ms: 12,
        status_code: 200,
        outcome: 'delivered',
        detail: null,
        request_headers: { 'webhook-id': 'evt_1', 'x-tenant': '(hidden)' },
        response_headers: { 'content-type': 'text/plain' },
        response_body: 'ok',
      },
    ]);
  });

  it('filters by endpoint, type and time', async () => {
    const partner = await subscriber(2);
    const all = (await partner.list()).deliveries;
    const found = async (query: Record<string, string>) => (await partner.list(query)).deliveries;
    const { endpoint_id, created_at } = all[0];
    const earlier = new Date(Date.parse(created_at) - 60_000).toISOString();
    const later = new Date(Date.parse(created_at) + 60_000).toISOString();
    expect(await found({ endpoint_id })).toEqual(all);
    expect(await found({ endpoint_id: 'whe_none' })).toEqual([]);
    expect(await found({ event_type: 'order.*' })).toEqual(all);
    expect(await found({ event_type: 'order.recorded', from: earlier, to: later })).toEqual(all);
    expect(await found({ event_type: 'transfer.*' })).toEqual([]);
    expect(await found({ from: later })).toEqual([]);
    expect(await found({ to: earlier })).toEqual([]);
  });

  it('pages newest first, each delivery once', async () => {
    const partner = await subscriber(7);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { deliveries: { id: string }[]; next_cursor: string | null } = await partner.list(
        { limit: 3, ...(cursor && { cursor }) },
      );
      seen.push(...page.deliveries.map((delivery) => delivery.id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toHaveLength(7);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });

  it('binds the cursor to its filters', async () => {
    const partner = await subscriber(3);
    const { next_cursor } = await partner.list({ limit: 1 });
    const answer = await partner.client.get('/v1/webhooks/deliveries', {
      query: { limit: 1, status: 'pending', cursor: next_cursor },
    });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
  });

  it('filters by event and rejects an unknown status', async () => {
    const partner = await subscriber(3);
    const [first] = (await partner.list()).deliveries;
    const { deliveries } = await partner.list({ event_id: first.event_id });
    expect(deliveries.map((each: { id: string }) => each.id)).toEqual([first.id]);
    const query = { status: 'dispatched' };
    const answer = await partner.client.get('/v1/webhooks/deliveries', { query });
    expect(answer.body.error.code).toBe('validation_error');
  });

  it('returns nothing of another partner', async () => {
    const [mine, other] = [await subscriber(1), await subscriber(1)];
    const [theirs] = (await other.list()).deliveries;
    expect((await mine.list({ event_id: theirs.event_id })).deliveries).toEqual([]);
  });
});

describe('POST /webhooks/test', () => {
  it('schedules a ping that is not part of the event history', async () => {
    const partner = await subscriber();
    const { body } = await partner.client.post('/v1/webhooks/test').expect(202);
    const { deliveries } = await partner.list();
    expect(deliveries).toMatchObject([{ id: body.delivery_id, event_type: 'webhook.ping' }]);
    expect((await partner.client.get('/v1/events')).body.events).toEqual([]);
  });

  it('returns 409 without an active endpoint, and records nothing', async () => {
    const partner = await app.partner();
    const answer = await partner.client.post('/v1/webhooks/test').expect(409);
    expect(answer.body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'endpoint_disabled' },
    });
    const { rowCount } = await app.runtime.db.knex.raw(
      'select 1 from events where partner_id = ?',
      [partner.partnerId],
    );
    expect(rowCount).toBe(0);
  });
});

describe('resending a webhook', () => {
  it('creates a new delivery of the same event and keeps the old one', async () => {
    const partner = await subscriber(1);
    const [first] = (await partner.list()).deliveries;
    await setDelivery(first.id, { state: 'exhausted', finished_at: new Date(), attempts: 12 });
    const path = `/v1/webhooks/deliveries/${first.id}/resend`;
    const { body } = await partner.client.post(path).expect(202);
    const { deliveries } = await partner.list();
    expect(deliveries).toMatchObject([
      { id: body.delivery_id, event_id: first.event_id, resend_of: first.id, status: 'pending' },
      { id: first.id, status: 'exhausted' },
    ]);
  });

  it('sends an event that was recorded before the endpoint existed', async () => {
    const partner = await app.partner();
    await record(partner, 1);
    await partner.client.put('/webhooks', { body: ENDPOINT }).expect(200);
    expect((await partner.client.get('/v1/webhooks/deliveries')).body.deliveries).toEqual([]);
    const [event] = (await partner.client.get('/v1/events')).body.events;
    const path = `/v1/events/${event.id}/resend`;
    const first = (await partner.client.post(path).expect(202)).body.delivery_id;
    const second = (await partner.client.post(path).expect(202)).body.delivery_id;
    const { deliveries } = (await partner.client.get('/v1/webhooks/deliveries')).body;
    expect(deliveries).toMatchObject([
      { id: second, event_id: event.id, resend_of: first },
      { id: first, event_id: event.id, resend_of: null },
    ]);
  });

  it('returns 409 without an active endpoint', async () => {
    const partner = await subscriber(1);
    const [delivery] = (await partner.list()).deliveries;
    await partner.client.delete('/v1/webhooks').expect(204);
    for (const path of [
      `/v1/webhooks/deliveries/${delivery.id}/resend`,
      `/v1/events/${delivery.event_id}/resend`,
    ]) {
      const answer = await partner.client.post(path).expect(409);
      expect(answer.body.error.details).toEqual({ reason: 'endpoint_disabled' });
    }
  });

  it('returns 404 for ids of another partner and unknown ids', async () => {
    const [mine, other] = [await subscriber(), await subscriber(1)];
    const [theirs] = (await other.list()).deliveries;
    for (const path of [
      `/v1/webhooks/deliveries/${theirs.id}/resend`,
      `/v1/events/${theirs.event_id}/resend`,
      '/v1/webhooks/deliveries/dlv_unknown/resend',
      '/v1/events/evt_unknown/resend',
    ]) {
      expect([path, (await mine.client.post(path)).status]).toEqual([path, 404]);
    }
  });

  it('does not treat a ping as an event', async () => {
    const partner = await subscriber();
    await partner.client.post('/v1/webhooks/test').expect(202);
    const [ping] = (await partner.list()).deliveries;
    await partner.client.post(`/v1/events/${ping.event_id}/resend`).expect(404);
    await partner.client.post(`/v1/webhooks/deliveries/${ping.id}/resend`).expect(202);
  });
});
