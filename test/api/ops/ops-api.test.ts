import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { opsRoutes } from '../../../api/ops/ops-routes.ts';
import { recordCancelPushResult } from '../../../shared/sales/refunds/pending-refund.ts';
import { beginPush } from '../../../shared/sales/transfers/registrar-push.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { unique } from '../../support/factories.ts';
import { givenOps, type OpsClient } from '../../support/ops-client.ts';
import { givenOrder } from '../../support/orders.ts';
import { givenUnrefundable } from '../../support/payments.ts';
import { givenRecordedOrder } from '../../support/sales.ts';

let app: TestApp;
let ops: OpsClient;

beforeAll(async () => {
  app = await startTestApp({ TRANSFER_POLICY_SANDBOX: 'manual', REVIEW_PRICE_CENTS: '900000' });
  ops = await givenOps(app);
});
afterAll(() => app?.stop());

const trailOf = (subject: string) =>
  app.runtime.db.knex('audit_log').where({ subject }).orderBy('id');

describe('the ops API', () => {
  it('returns 401 without a token, for unknown paths too', async () => {
    for (const path of [...opsRoutes.map((route) => route.path), '/nothing']) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${app.url}/ops/api${path}`, { method });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
        expect(await answer.json()).toMatchObject({ error: { code: 'invalid_token' } });
      }
    }
  });

  it('creates a partner, issues working keys, and can suspend it and revoke them', async () => {
    const partner = await ops.post('/partners', { name: 'Example Registrar', period: 'weekly' });
    expect(partner.status).toBe(201);
    const { partner_id } = partner.body;
    const pair = await ops.post(`/partners/${partner_id}/credentials`, {
      environment: 'SANDBOX',
      scopes: ['search', 'buy'],
      name: 'Shop',
      expires_in_days: 30,
    });
    expect(pair.status).toBe(201);
    expect(pair.body).toMatchObject({ name: 'Shop', allowed_ips: null });
    const { key_id: keyId, secret } = pair.body;
    const client = app.as({ keyId, secret });
    await client.get('/v1/orders').expect(200);
    await client.get('/v1/settlements').expect(200);

    // Redis announces a change to other processes shortly after it is made.
    const ordersAnswer = (status: number) =>
      eventually(
        () => client.get('/v1/orders'),
        (answer) => answer.status === status,
      );
    await ops.post(`/partners/${partner_id}/suspend`);
    expect((await ordersAnswer(403)).body.error.code).toBe('partner_not_active');
    await ops.post(`/partners/${partner_id}/resume`);
    await ordersAnswer(200);

    const change = (allowed_ips: string[]) =>
      ops.post(`/credentials/${keyId}/change`, { allowed_ips });
    expect((await change(['192.0.2.0/24'])).body).toMatchObject({
      name: 'Shop',
      scopes: ['search', 'buy'],
      allowed_ips: ['192.0.2.0/24'],
    });
    expect((await ordersAnswer(403)).body.error.code).toBe('forbidden');
    expect((await change(['nowhere'])).status).toBe(400);
    expect((await change(['0.0.0.0/0', '::/0'])).status).toBe(200);

    const rotated = await ops.post(`/credentials/${keyId}/rotate`, { overlap_hours: 1 });
    expect(rotated.status).toBe(201);
    const successor = app.as({ keyId: rotated.body.key_id, secret: rotated.body.secret });
    await successor.get('/v1/orders').expect(200);
    await ordersAnswer(200);

    expect((await ops.post(`/credentials/${keyId}/revoke`)).body.status).toBe('revoked');
    expect((await ordersAnswer(403)).body.error.code).toBe('credential_not_active');
    await successor.get('/v1/orders').expect(200);

    const [created] = await trailOf(partner_id);
    expect(created).toMatchObject({ actor: expect.stringMatching(/^usr_/) });
    const pairs = await ops.get(`/partners/${partner_id}/credentials`);
    expect(pairs.body.credentials).toMatchObject([
      { key_id: keyId, status: 'revoked', replaced_by: rotated.body.key_id },
      { key_id: rotated.body.key_id, status: 'active', expires_at: rotated.body.expires_at },
    ]);
    expect(pairs.text).not.toContain('sk_');
    const list = await ops.get('/partners');
    expect(list.body.partners.map((each: { partner_id: string }) => each.partner_id)).toContain(
      partner_id,
    );
    expect(list.text).not.toContain(secret);
  });

  it('names every invalid field', async () => {
    const answer = await ops.post('/partners/ptr_x/credentials', { environment: 'PROD' });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'validation_error' });
    const paths = answer.body.error.details.map((fault: { path: string }) => fault.path);
    expect(paths.sort()).toEqual(['/environment', '/scopes']);
    expect((await ops.post('/partners', { name: 'x', commission_bps: '1500' })).status).toBe(400);
    expect((await ops.post('/partners', { name: 'x\u0000' })).status).toBe(400);
    expect((await ops.get('/review-queue?limit=0')).status).toBe(400);
    expect((await ops.get('/review-queue?limit=5')).status).toBe(200);
  });

  it('accepts ISO 3166-1 countries in a tax profile, and EL for Greece', async () => {
    const { partnerId } = await app.partner();
    const set = (country: string) =>
      ops.post(`/partners/${partnerId}/tax-profile`, { legal_name: 'Harbor Names', country });
    const unknown = await set('EU');
    expect([unknown.status, unknown.body.error.details[0].path]).toEqual([400, '/country']);
    expect((await set('EL')).status).toBe(200);
    const row = await app.runtime.db
      .knex('partner_tax_profiles')
      .where({ partner_id: partnerId })
      .first('country');
    expect(row.country).toBe('GR');
  });

  it('returns 405 with the allowed methods, and 404 for unknown paths and subjects', async () => {
    const wrong = await ops.get('/domains');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('Allow')).toBe('POST');
    expect((await ops.get('/nothing')).body.error.code).toBe('not_found');
    expect((await ops.post('/partners/ptr_nobody/suspend')).status).toBe(404);
    expect((await ops.post('/orders/ord_nobody/clear')).status).toBe(404);
    expect((await ops.get('/settlement-runs/run_nobody')).status).toBe(404);
  });

  it('lists, reprices and delists a domain', async () => {
    const domain = `ops-listing-${unique()}.com`;
    const added = await ops.post('/listings', {
      environment: 'LIVE',
      domain,
      price_cents: 100_000,
      keywords: ['one', 'two'],
    });
    expect(added.status).toBe(201);
    const again = { environment: 'LIVE', domain, price_cents: 1 };
    expect((await ops.post('/listings', again)).status).toBe(409);
    const repriced = await ops.post(`/listings/LIVE/${domain}/price`, { price_cents: 90_000 });
    expect(repriced.body).toMatchObject({ domain, price_cents: 90_000 });
    expect((await ops.post(`/listings/LIVE/${domain}/delist`)).body.status).toBe('delisted');
    expect((await trailOf(`LIVE:${domain}`)).map((row) => row.action)).toEqual([
      'listing:add',
      'listing:price',
      'listing:delist',
    ]);
  });

  it('reports the waiting jobs of each queue and the oldest one’s age', async () => {
    const queue = app.runtime.queues.get('transfers');
    await queue.add('probe', {}, { timestamp: Date.now() - 5_000 });
    const { status, body } = await ops.get('/queues');
    await queue.drain();
    expect(status).toBe(200);
    expect(body.queues).toHaveLength(app.runtime.queues.all().length);
    const transfers = body.queues.find((each: { queue: string }) => each.queue === 'transfers');
    expect(transfers.counts.waiting).toBe(1);
    expect(transfers.oldest_waiting_ms).toBeGreaterThanOrEqual(5_000);
    expect(transfers.oldest_waiting_ms).toBeLessThan(60_000);
  });

  it('lists dead jobs and retries them', async () => {
    const { knex } = app.runtime.db;
    const [dead] = await knex('outbox')
      .insert({
        queue: 'transfers',
        name: 'probe',
        payload: '{}',
        run_at: new Date(),
        created_at: new Date(),
        state: 'dead',
        attempts: 3,
        last_error: 'no such registrar',
      })
      .returning('id');
    const listed = await ops.get('/queues/dead');
    expect(listed.body.jobs).toEqual([
      expect.objectContaining({ job: dead.id, attempts: 3, reason: 'no such registrar' }),
    ]);
    const retried = await ops.post(`/queues/dead/${dead.id}/retry`);
    expect(retried).toMatchObject({ status: 202, body: { job: dead.id, state: 'pending' } });
    expect((await ops.post(`/queues/dead/${dead.id}/retry`)).status).toBe(404);
    expect((await ops.get('/queues/dead')).body.jobs).toEqual([]);
    expect((await trailOf(`${dead.id}`)).map((row) => row.action)).toEqual(['queue:retry']);
    await knex('outbox').where({ id: dead.id }).delete();
  });
});

describe('an order in the ops API', () => {
  const move = (order: string, action: string, body?: unknown) =>
    ops.post(`/orders/${order}/${action}`, body);

  it('can be approved, transferred and delivered', async () => {
    const { order, partner } = await givenRecordedOrder(app, { priceCents: 950_000 });
    expect(order.status).toBe('MANUAL_REVIEW');
    const queue = await ops.get('/review-queue');
    expect(queue.body.orders).toContainEqual(
      expect.objectContaining({
        public_id: order.public_id,
        partner_id: partner.partnerId,
        review_reasons: expect.arrayContaining([expect.any(String)]),
      }),
    );
    const id = order.public_id;
    expect((await move(id, 'clear')).body.status).toBe('EXTERNALLY_PAID');
    const early = await move(id, 'confirm-delivery');
    expect(early.status).toBe(409);
    expect(early.body.error.details).toEqual({ reason: 'invalid_state' });
    expect((await move(id, 'start-transfer')).body.status).toBe('TRANSFER_IN_PROGRESS');
    const delivered = await move(id, 'confirm-delivery');
    expect(delivered.body).toMatchObject({
      public_id: id,
      status: 'TRANSFER_COMPLETED',
      transfer_completed_at: expect.stringMatching(/Z$/),
    });
    const shown = await ops.get(`/orders/${id}`);
    expect(shown.body).toMatchObject({ partner_id: partner.partnerId });
    expect(shown.body.timeline.map((entry: { status: string }) => entry.status)).toContain(
      'TRANSFER_COMPLETED',
    );
    const moves = (await trailOf(id)).map(({ action, before, after }) => [
      action,
      before.status,
      after.status,
    ]);
    expect(moves).toEqual([
      ['order:clear', 'MANUAL_REVIEW', 'EXTERNALLY_PAID'],
      ['order:start-transfer', 'EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'],
      ['order:confirm-delivery', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED'],
    ]);
  });

  it('is canceled before its transfer, refunded during it, and clawed back after it', async () => {
    const cancelled = await givenRecordedOrder(app);
    const answer = await move(cancelled.order.public_id, 'cancel', { reason: 'fraudulent' });
    expect(answer.body.status).toBe('CANCELLED');
    expect((await move(cancelled.order.public_id, 'refund')).body.error.details).toEqual({
      reason: 'already_refunded',
    });

    const refunded = await givenRecordedOrder(app);
    await move(refunded.order.public_id, 'start-transfer');
    expect((await move(refunded.order.public_id, 'cancel')).status).toBe(409);
    expect((await move(refunded.order.public_id, 'refund')).body.status).toBe('REFUNDED');

    const clawed = await givenRecordedOrder(app);
    await move(clawed.order.public_id, 'start-transfer');
    await move(clawed.order.public_id, 'confirm-delivery');
    expect((await move(clawed.order.public_id, 'refund')).body.status).toBe('REFUNDED');
    const refunds = await app.runtime.db.knex('refunds').orderBy('id');
    expect(refunds.map((row) => [row.order_id, row.kind, row.reason])).toEqual([
      [cancelled.order.public_id, 'cancellation', 'fraudulent'],
      [refunded.order.public_id, 'refund', 'other'],
      [clawed.order.public_id, 'clawback', 'other'],
    ]);
    expect(refunds.every((row) => row.requested_by.startsWith('usr_'))).toBe(true);
    expect((await ops.get('/ledger/check')).body).toMatchObject({ ok: true, imbalances: [] });
  });

  it('is listed until decided if its refund came too late to stop the transfer', async () => {
    const tooLate = async () => {
      const { order } = await givenRecordedOrder(app);
      const id = order.public_id;
      await move(id, 'start-transfer');
      await beginPush(app.runtime, { orderId: id, attempt: 1 });
      const asked = await move(id, 'refund');
      expect(asked.body).toMatchObject({
        status: 'TRANSFER_IN_PROGRESS',
        refund: { id: expect.stringMatching(/^rfd_/), status: 'pending' },
      });
      expect((await move(id, 'refund/approve')).status).toBe(409);
      await app.runtime.db.transact((uow) => recordCancelPushResult(uow, id, 'too_late'));
      return order;
    };
    const [approved, declined] = [await tooLate(), await tooLate()];
    const { body: list } = await ops.get('/refunds');
    expect(list.refunds).toMatchObject([
      { order_id: approved.public_id, cause: 'too_late', transfer_status: 'awaiting_confirmation' },
      { order_id: declined.public_id, cause: 'too_late', domain: declined.domain },
    ]);
    const id = approved.public_id;
    expect((await move(id, 'confirm-delivery')).body.error.message).toMatch(
      /Approve it or decline/,
    );
    expect((await move(id, 'refund/approve')).body.status).toBe('REFUNDED');
    const delivered = await move(declined.public_id, 'refund/decline');
    expect(delivered.body.status).toBe('TRANSFER_COMPLETED');
    expect((await ops.get('/refunds')).body).toEqual({ refunds: [] });
    expect((await ops.get('/ledger/check')).body).toMatchObject({ ok: true, imbalances: [] });
    expect((await trailOf(id)).map((row) => row.action)).toEqual([
      'order:start-transfer',
      'order:refund',
      'refund:approve',
    ]);
  });

  it('owes the buyer a repayment after the reversal of a brokerage deal, until marked as paid', async () => {
    const { partnerId } = await app.partner();
    const owner = { partnerId, environment: 'LIVE' as const };
    const options = { paymentModel: 'brokerage', deliveredAt: null, priceCents: 450_000 } as const;
    const id = await givenOrder(app.runtime, owner, options);
    expect((await move(id, 'refund')).body.status).toBe('REFUNDED');
    const owed = { order_id: id, amount_cents: 450_000, currency: 'USD', status: 'owed' };
    expect((await ops.get('/repayments')).body.repayments).toMatchObject([owed]);
    const pay = (reference: string) => ops.post(`/repayments/${id}/mark-paid`, { reference });
    expect((await pay('wire-1')).body).toMatchObject({
      ...owed,
      status: 'paid',
      reference: 'wire-1',
    });
    expect((await pay('wire-1')).status).toBe(200);
    expect((await pay('wire-2')).body.error.details).toEqual({ reason: 'invalid_state' });
    expect((await ops.get('/repayments')).body).toEqual({ repayments: [] });
    expect((await ops.post('/repayments/ord_none/mark-paid', { reference: 'x' })).status).toBe(404);
    expect((await trailOf(id)).map((row) => row.action)).toEqual([
      'order:refund',
      'repayment:mark-paid',
    ]);
  });

  it('owes a buyer a repayment by the payment if its money came too late and cannot be refunded', async () => {
    const { session, paymentId } = await givenUnrefundable(app.runtime);
    const owed = { id: paymentId, order_id: null, payment_id: paymentId, renewal_id: null };
    expect((await ops.get('/repayments')).body.repayments).toMatchObject([
      {
        ...owed,
        provider_reference: `sandbox_${paymentId}`,
        domain: session.domain,
        buyer_email: 'buyer@example.com',
        amount_cents: session.price.amount,
        status: 'owed',
      },
    ]);
    const pay = () => ops.post(`/repayments/${paymentId}/mark-paid`, { reference: 'wire-1' });
    expect((await pay()).body).toMatchObject({ ...owed, status: 'paid', reference: 'wire-1' });
    expect((await pay()).status).toBe(200);
    expect((await ops.get('/repayments')).body).toEqual({ repayments: [] });
    expect((await trailOf(paymentId)).map((row) => row.action)).toEqual(['repayment:mark-paid']);
  });

  it('can be relisted after a refund, unless the domain is on sale or has left our account', async () => {
    const { order } = await givenRecordedOrder(app);
    const { public_id: id, domain } = order;
    const relist = (body?: unknown) => ops.post(`/listings/SANDBOX/${domain}/relist`, body);
    expect((await relist()).body.error).toMatchObject({
      message: expect.stringContaining(`the order ${id} is EXTERNALLY_PAID`),
      details: { reason: 'domain_sold' },
    });
    await move(id, 'start-transfer');
    await beginPush(app.runtime, { orderId: id, attempt: 1 });
    await move(id, 'refund');
    expect((await relist()).status).toBe(409);
    await app.runtime.db.transact((uow) => recordCancelPushResult(uow, id, 'too_late'));
    await move(id, 'refund/approve');
    expect((await relist()).body.error.message).toMatch(/left our account with the order/);
    expect((await relist({ returned: true })).body).toMatchObject({ domain, status: 'listed' });
    expect((await relist()).body.error.details).toEqual({ reason: 'already_exists' });
    expect((await trailOf(`SANDBOX:${domain}`)).map((row) => row.action)).toEqual([
      'listing:relist',
    ]);
    const never = await ops.post('/listings/SANDBOX/never-listed-here.com/relist');
    expect(never.status).toBe(404);
  });

  it('leaves no audit entry when an action is rejected', async () => {
    const { order } = await givenRecordedOrder(app);
    expect((await move(order.public_id, 'retry-transfer')).status).toBe(409);
    expect((await move(order.public_id, 'clear')).status).toBe(409);
    expect(await trailOf(order.public_id)).toEqual([]);
  });

  it('has events that can be resent and replayed', async () => {
    const { order, partner } = await givenRecordedOrder(app);
    const { body } = await partner.client.get('/v1/events').expect(200);
    const event = body.events[0].id;
    expect((await ops.post('/webhooks/resend', { event })).body.error.details).toEqual({
      reason: 'endpoint_disabled',
    });
    await partner.client
      .put('/webhooks', {
        body: { url: 'http://127.0.0.1:8080/hook', secret: 'a secret of some length' },
      })
      .expect(200);
    const endpoint = await ops.get(`/webhooks/SANDBOX/${partner.partnerId}`);
    expect(endpoint.body).toMatchObject({ url: 'http://127.0.0.1:8080/hook', active: true });
    expect(endpoint.text).not.toContain('a secret of some length');
    const other = await partner.client
      .post('/v1/webhooks/endpoints', {
        body: { name: 'other', url: 'http://127.0.0.1:8080/other', ordering: 'per_subject' },
      })
      .expect(201);
    const named = await ops.get(`/webhooks/SANDBOX/${partner.partnerId}?name=other`);
    expect(named.body).toMatchObject({ id: other.body.id, ordering: 'per_subject' });
    const all = await ops.get(`/webhooks/SANDBOX/${partner.partnerId}/endpoints`);
    expect(all.body.endpoints.map(({ name }: { name: string }) => name).sort()).toEqual([
      'default',
      'other',
    ]);
    const period = { from: '2020-01-01', to: '2099-01-01', event_types: ['order.*'] };
    const replay = await ops.post(`/webhook-endpoints/${other.body.id}/replay`, period);
    expect([replay.status, replay.body.status]).toEqual([202, 'queued']);
    const path = `/webhook-replays/${replay.body.id}`;
    expect((await ops.get(path)).body).toMatchObject({ endpoint_id: other.body.id, progress: 0 });
    expect((await ops.post(`${path}/cancel`)).body.status).toBe('cancelled');
    expect((await ops.post(`/webhook-endpoints/${other.body.id}/test`)).status).toBe(202);
    expect((await ops.post('/webhook-endpoints/whe_nobody/test')).status).toBe(404);
    await partner.client.delete(`/v1/webhooks/endpoints/${other.body.id}`).expect(204);
    const sent = await ops.post('/webhooks/resend', { event });
    expect(sent.status).toBe(202);
    expect(sent.body.delivery_id).toMatch(/^dlv_/);
    const again = await ops.post('/webhooks/resend', { delivery: sent.body.delivery_id });
    expect(again.status).toBe(202);
    expect(again.body.delivery_id).not.toBe(sent.body.delivery_id);
    expect((await ops.post('/webhooks/resend', {})).status).toBe(400);
    expect((await ops.post('/webhooks/resend', { event: order.public_id })).status).toBe(404);
    expect((await trailOf(event)).map((row) => row.action)).toEqual(['webhook:resend']);
  });
});

describe('a settlement run in the ops API', () => {
  it('can be started and read', async () => {
    const asked = await ops.post('/settlement-runs', {
      environment: 'SANDBOX',
      until: app.runtime.clock.now().toISOString(),
    });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ status: 'queued', environment: 'SANDBOX', partners: [] });
    const read = await ops.get(`/settlement-runs/${asked.body.run_id}`);
    expect(read.body).toMatchObject({ run_id: asked.body.run_id, status: 'queued' });
  });

  it('pages through its partners', async () => {
    const others = [await app.partner(), await app.partner()];
    const { body: asked } = await ops.post('/settlement-runs', {
      environment: 'SANDBOX',
      until: app.runtime.clock.now().toISOString(),
    });
    const [first = '', second = ''] = others.map(({ partnerId }) => partnerId).sort();
    const rows = [first, second].map((id) => ({ run_id: asked.run_id, partner_id: id }));
    await app.runtime.db
      .knex('settlement_run_partners')
      .insert(rows.map((row) => ({ ...row, state: 'queued' })));
    const page = async (query: string) =>
      (await ops.get(`/settlement-runs/${asked.run_id}?limit=1${query}`)).body;
    const { partners, next_after: next } = await page('');
    expect([partners, next]).toEqual([
      [{ partner_id: first, state: 'queued', statements: [] }],
      first,
    ]);
    const last = await page(`&after=${next}`);
    expect(last).toMatchObject({ partners: [{ partner_id: second }] });
    expect(last).not.toHaveProperty('next_after');
  });

  it('requires exactly one valid period in the past', async () => {
    for (const body of [
      { environment: 'SANDBOX' },
      { environment: 'SANDBOX', period: '2026-13' },
      { environment: 'SANDBOX', period: '2999-01' },
      { environment: 'SANDBOX', until: 'yesterday' },
      { environment: 'SANDBOX', until: '0000-01-01T00:00:00Z' },
      { environment: 'SANDBOX', until: '1969-12-31T23:59:59Z' },
      { environment: 'SANDBOX', period: '0050-11' },
      { environment: 'SANDBOX', period: '2026-01', until: '2026-01-01T00:00:00Z' },
    ])
      expect((await ops.post('/settlement-runs', body)).status).toBe(400);
    expect((await ops.post('/settlements/stl_nobody/mark-paid', { reference: 'x' })).status).toBe(
      404,
    );
  });
});
