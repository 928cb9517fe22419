import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenListing, unique } from '../../support/factories.ts';
import { givenRecordedOrder, sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const advance = (client: SignedClient, orderId: string, to: unknown) =>
  client.post(`/v1/sandbox/orders/${orderId}/advance`, { body: { to } });

async function historyOf(client: SignedClient): Promise<string[]> {
  const { body } = await client.get('/v1/events', { query: { limit: 100 } }).expect(200);
  return body.events.map((event: { type: string }) => event.type);
}

describe('POST /v1/sandbox/orders/{public_id}/advance', () => {
  it('moves an order through all its statuses and returns it as GET does', async () => {
    const domain = `hold-walk-${unique()}.com`;
    const { partner, order } = await givenRecordedOrder(app, { domain });
    expect(order.status).toBe('MANUAL_REVIEW');
    const steps = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'];
    for (const to of steps) {
      const { body } = await advance(partner.client, order.public_id, to).expect(200);
      expect(body.status).toBe(to);
      expect((await partner.client.get(`/v1/orders/${order.public_id}`)).body).toEqual(body);
    }
    const history = await historyOf(partner.client);
    expect(history).toEqual([
      'order.recorded',
      'order.manual_review_cleared',
      'order.transfer_started',
      'transfer.completed',
      'order.transfer_completed',
      'order.settled',
    ]);
    const { body } = await advance(partner.client, order.public_id, 'REFUNDED').expect(200);
    expect(body.timeline.map((entry: { event: string }) => entry.event)).toEqual([
      ...history,
      'order.refunded',
    ]);
  });

  it('leads to an order without an authorization code, and the refusal says whether to wait', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const refusal = async () => {
      const path = `/v1/orders/${order.public_id}/auth-code`;
      return (await partner.client.post(path).expect(409)).body.error.message;
    };
    expect(await refusal()).toContain('Wait for the event transfer.released');
    await advance(partner.client, order.public_id, 'TRANSFER_IN_PROGRESS').expect(200);
    await advance(partner.client, order.public_id, 'TRANSFER_COMPLETED').expect(200);
    expect(await refusal()).toBe('The order is TRANSFER_COMPLETED, so there is no code to give.');
  });

  it('settles an order delivered by a worker whose clock is slightly ahead', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    await advance(partner.client, order.public_id, 'TRANSFER_IN_PROGRESS').expect(200);
    await advance(partner.client, order.public_id, 'TRANSFER_COMPLETED').expect(200);
    await app.runtime.db
      .knex('orders')
      .where({ id: order.public_id })
      .update({ transfer_completed_at: new Date(Date.now() + 300) });
    await advance(partner.client, order.public_id, 'SETTLED').expect(200);
  });

  it('settles only the partner’s delivered orders', async () => {
    const mine = await givenRecordedOrder(app);
    const paid = await sell(mine.partner.client, await givenListing(app.runtime)).expect(201);
    const theirs = await givenRecordedOrder(app);
    for (const { partner, order } of [mine, theirs]) {
      await advance(partner.client, order.public_id, 'TRANSFER_IN_PROGRESS').expect(200);
      await advance(partner.client, order.public_id, 'TRANSFER_COMPLETED').expect(200);
    }
    await advance(mine.partner.client, mine.order.public_id, 'SETTLED').expect(200);
    const statusOf = async (client: SignedClient, id: string) =>
      (await client.get(`/v1/orders/${id}`).expect(200)).body.status;
    expect(await statusOf(mine.partner.client, paid.body.public_id)).toBe('EXTERNALLY_PAID');
    expect(await statusOf(theirs.partner.client, theirs.order.public_id)).toBe(
      'TRANSFER_COMPLETED',
    );
  });

  it('settles nothing if it rejects the request', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const paid = await sell(partner.client, await givenListing(app.runtime)).expect(201);
    await advance(partner.client, order.public_id, 'TRANSFER_IN_PROGRESS').expect(200);
    await advance(partner.client, order.public_id, 'TRANSFER_COMPLETED').expect(200);
    await advance(partner.client, paid.body.public_id, 'SETTLED').expect(409);
    const { body } = await partner.client.get(`/v1/orders/${order.public_id}`).expect(200);
    expect(body.status).toBe('TRANSFER_COMPLETED');
    await advance(partner.client, order.public_id, 'SETTLED').expect(200);
    await advance(partner.client, order.public_id, 'SETTLED').expect(409);
  });

  it.each(['REFUNDED', 'CANCELLED'])('reverses a paid order as %s', async (to) => {
    const { partner, order } = await givenRecordedOrder(app);
    const { body } = await advance(partner.client, order.public_id, to).expect(200);
    expect(body).toMatchObject({ status: to, amount_owed_cents: 0 });
    expect(order.amount_owed_cents).toBeGreaterThan(0);
    expect(await historyOf(partner.client)).toEqual(['order.recorded', 'order.refunded']);
  });

  it('holds a paid order, as late screening does, and releases it again', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    await advance(partner.client, order.public_id, 'MANUAL_REVIEW').expect(200);
    await advance(partner.client, order.public_id, 'EXTERNALLY_PAID').expect(200);
    expect(await historyOf(partner.client)).toEqual([
      'order.recorded',
      'order.held',
      'order.manual_review_cleared',
    ]);
  });

  it.each(['EXTERNALLY_PAID', 'PAID', 'TRANSFER_COMPLETED', 'SETTLED'])(
    'rejects moving a paid order to %s and names both statuses',
    async (to) => {
      const { partner, order } = await givenRecordedOrder(app);
      const { body } = await advance(partner.client, order.public_id, to).expect(409);
      expect(body.error).toMatchObject({ code: 'conflict', details: { reason: 'invalid_state' } });
      expect(body.error.message).toContain(`is EXTERNALLY_PAID and cannot become ${to}`);
      expect(await historyOf(partner.client)).toEqual(['order.recorded']);
    },
  );

  it('rejects moving a refunded order', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    await advance(partner.client, order.public_id, 'REFUNDED').expect(200);
    for (const to of ['REFUNDED', 'CANCELLED', 'TRANSFER_IN_PROGRESS', 'SETTLED']) {
      const { body } = await advance(partner.client, order.public_id, to).expect(409);
      expect(body.error.details).toEqual({ reason: 'invalid_state' });
    }
  });

  it('returns 404 for an order of another partner', async () => {
    const { order } = await givenRecordedOrder(app);
    const other = await app.partner();
    await advance(other.client, order.public_id, 'TRANSFER_IN_PROGRESS').expect(404);
    await advance(other.client, 'ord_none', 'SETTLED').expect(404);
  });

  it('returns 404 with LIVE credentials', async () => {
    const { partner, order } = await givenRecordedOrder(app, { environment: 'LIVE' });
    const { body } = await advance(partner.client, order.public_id, 'TRANSFER_IN_PROGRESS').expect(
      404,
    );
    expect(body.error.code).toBe('not_found');
    expect(await historyOf(partner.client)).toEqual(['order.recorded']);
  });

  it('requires the buy scope', async () => {
    const reader = await app.partner({ scopes: ['search'] });
    await advance(reader.client, 'ord_none', 'SETTLED').expect(403);
  });

  it.each([undefined, 'DONE', 'settled', 7, null])('rejects the status %p', async (to) => {
    const { partner, order } = await givenRecordedOrder(app);
    const { body } = await advance(partner.client, order.public_id, to).expect(400);
    expect(body.error.details[0].path).toBe('/to');
  });

  it('makes one move in ten concurrent requests', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        advance(partner.client, order.public_id, 'TRANSFER_IN_PROGRESS'),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});
