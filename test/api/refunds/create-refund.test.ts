import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordCancelPushResult } from '../../../shared/sales/refunds/pending-refund.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { beginPush, recordPushState } from '../../../shared/sales/transfers/registrar-push.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenCredential, unique } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenRecordedOrder, sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const refund = (client: SignedClient, orderId: unknown, more: object = {}) =>
  client.post('/v1/refunds', {
    body: { order_id: orderId, reason: 'requested_by_customer', ...more },
  });

const start = (orderId: string) => app.runtime.db.transact((uow) => startTransfer(uow, orderId));
const deliver = async (orderId: string) => {
  await start(orderId);
  await app.runtime.db.transact((uow) => confirmDelivery(uow, orderId));
};

describe('POST /v1/refunds', () => {
  it('reverses an order and returns what was refunded', async () => {
    const { partner, order, listing } = await givenRecordedOrder(app);
    const { body } = await refund(partner.client, order.public_id, { note: 'Changed mind' }).expect(
      201,
    );
    expect(body).toEqual({
      id: expect.stringMatching(/^rfd_[0-9a-z]{26}$/),
      order_id: order.public_id,
      status: 'accepted',
      amount_cents: listing.priceCents,
      currency: 'USD',
      reason: 'requested_by_customer',
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*\.\d{3}Z$/),
      completed_at: body.created_at,
    });
    const { body: after } = await partner.client.get(`/v1/orders/${order.public_id}`);
    expect(after).toMatchObject({
      status: 'REFUNDED',
      sale_price_cents: order.sale_price_cents,
      commission_cents: order.commission_cents,
      amount_owed_cents: 0,
      refunded_at: body.created_at,
    });
    expect(order).toMatchObject({ refunded_at: null, checkout_session_id: null });
    expect(order.amount_owed_cents).toBeGreaterThan(0);
    const { orders } = (await partner.client.get('/v1/orders').expect(200)).body;
    const {
      timeline,
      transfer,
      delivery,
      refund: _refund,
      documents: _documents,
      ...listed
    } = after;
    expect(delivery).toMatchObject({ method: 'account', status: null, next_step: null });
    expect(orders).toEqual([listed]);
    expect(after.timeline.at(-1)).toMatchObject({
      event: 'order.refunded',
      note: 'requested_by_customer',
    });
  });

  it('makes the domain available again', async () => {
    const { partner, order, listing } = await givenRecordedOrder(app);
    await refund(partner.client, order.public_id).expect(201);
    const query = { domain: listing.domain };
    const { body } = await partner.client.get('/v1/availability', { query }).expect(200);
    expect(body.available).toBe(true);
    await sell(partner.client, listing).expect(201);
  });

  it('sends order.refunded with five fields of the order', async () => {
    const { partner, order, listing } = await givenRecordedOrder(app);
    await refund(partner.client, order.public_id).expect(201);
    const { body } = await partner.client.get('/v1/events').expect(200);
    expect(body.events.at(-1)).toMatchObject({ type: 'order.refunded' });
    expect(body.events.at(-1).data).toEqual({
      order: {
        public_id: order.public_id,
        domain: listing.domain,
        status: 'REFUNDED',
        sale_price_cents: listing.priceCents,
        currency: 'USD',
      },
    });
  });

  it('cancels a transfer in progress', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    await start(order.public_id);
    await refund(partner.client, order.public_id).expect(201);
    const { body } = await partner.client.get(`/v1/orders/${order.public_id}`);
    expect(body.transfer.status).toBe('cancelled');
    const { body: history } = await partner.client.get('/v1/events').expect(200);
    const types = history.events.map((event: { type: string }) => event.type);
    expect(types.slice(-2)).toEqual(['transfer.cancelled', 'order.refunded']);
  });

  it('is accepted while the registrar moves the domain, and completed once that is stopped', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const read = async () => (await partner.client.get(`/v1/orders/${order.public_id}`)).body;
    await start(order.public_id);
    await beginPush(app.runtime, { orderId: order.public_id, attempt: 1 });
    const { body } = await refund(partner.client, order.public_id).expect(201);
    expect(body).toMatchObject({ status: 'accepted', completed_at: null });
    const pending = { id: body.id, status: 'pending', created_at: body.created_at };
    expect(await read()).toMatchObject({
      status: 'TRANSFER_IN_PROGRESS',
      refund: { ...pending, completed_at: null },
    });
    const again = await refund(partner.client, order.public_id).expect(409);
    expect(again.body.error.details).toEqual({ reason: 'already_refunded' });

    const { runtime } = app;
    await runtime.db.transact((uow) => recordCancelPushResult(uow, order.public_id, 'cancelled'));
    expect(await read()).toMatchObject({
      status: 'REFUNDED',
      transfer: { status: 'cancelled' },
      refund: { ...pending, status: 'completed', completed_at: expect.any(String) },
    });
  });

  it('returns 409 invalid_state once the registrar has moved the domain', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const { runtime } = app;
    await start(order.public_id);
    const push = { orderId: order.public_id, attempt: 1 };
    await beginPush(runtime, push);
    await runtime.db.transact((uow) =>
      recordPushState(uow, runtime, push, { status: 'completed' }),
    );
    const { body } = await refund(partner.client, order.public_id).expect(409);
    expect(body.error).toMatchObject({ code: 'conflict', details: { reason: 'invalid_state' } });
    expect(body.error.message).toMatch(/The registrar has moved the domain/);
    const { body: history } = await partner.client.get('/v1/events').expect(200);
    expect(history.events.at(-1).type).toBe('transfer.initiated');
  });

  it.each(['hosted_checkout', 'brokerage'] as const)(
    'returns 409 not_partner_collected for a %s order, whose payment we hold',
    async (paymentModel) => {
      const partner = await app.partner();
      const { partnerId } = partner;
      const owner = { partnerId, environment: 'SANDBOX' as const };
      const id = await givenOrder(app.runtime, owner, { paymentModel, deliveredAt: null });
      const { body } = await refund(partner.client, id).expect(409);
      expect(body.error).toMatchObject({
        code: 'conflict',
        details: { reason: 'not_partner_collected' },
      });
      const { body: after } = await partner.client.get(`/v1/orders/${id}`).expect(200);
      expect(after).toMatchObject({ status: 'TRANSFER_IN_PROGRESS', refund: null });
    },
  );

  it('returns 409 already_refunded the second time', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    await refund(partner.client, order.public_id).expect(201);
    const { body } = await refund(partner.client, order.public_id).expect(409);
    expect(body.error).toMatchObject({
      code: 'conflict',
      details: { reason: 'already_refunded' },
    });
  });

  it('returns 409 invalid_state once the domain is delivered', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    await deliver(order.public_id);
    const { body } = await refund(partner.client, order.public_id).expect(409);
    expect(body.error).toMatchObject({ code: 'conflict', details: { reason: 'invalid_state' } });
    expect(body.error.message).toMatch(/TRANSFER_COMPLETED and cannot become REFUNDED/);
  });

  it('returns 404 for an order of another partner or environment', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const other = await app.partner();
    await refund(other.client, order.public_id).expect(404);
    const live = await givenCredential(app.runtime, partner.partnerId, { environment: 'LIVE' });
    await refund(app.as(live), order.public_id).expect(404);
    await refund(partner.client, 'ord_none').expect(404);
    await refund(partner.client, order.public_id).expect(201);
  });

  it('requires the buy scope', async () => {
    const { order } = await givenRecordedOrder(app);
    const reader = await app.partner({ scopes: ['search', 'report'] });
    const { body } = await refund(reader.client, order.public_id).expect(403);
    expect(body.error.code).toBe('forbidden');
  });

  it.each([
    ['no order_id', { order_id: undefined }, '/order_id'],
    ['an order_id of the wrong type', { order_id: 7 }, '/order_id'],
    ['an empty order_id', { order_id: '' }, '/order_id'],
    ['no reason', { reason: undefined }, '/reason'],
    ['an unknown reason', { reason: 'because' }, '/reason'],
    ['an overlong note', { note: 'x'.repeat(1_001) }, '/note'],
    ['a note of the wrong type', { note: {} }, '/note'],
  ])('rejects %s', async (_what, more, path) => {
    const partner = await app.partner();
    const { body } = await refund(partner.client, `ord_${unique()}`, more).expect(400);
    expect(body.error.code).toBe('validation_error');
    expect(body.error.details).toContainEqual(expect.objectContaining({ path }));
  });

  it('refunds once in ten concurrent requests', async () => {
    const { partner, order } = await givenRecordedOrder(app);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refund(partner.client, order.public_id)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });
});
