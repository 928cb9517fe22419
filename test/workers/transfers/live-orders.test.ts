import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setAuthCode } from '../../../shared/domains/registrar/auth-codes.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import type { QueueName } from '../../../shared/messaging/jobs/job-queues.ts';
import { DAY } from '../../../shared/platform/clock.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { takeDomain } from '../../support/claims.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { AUTH_CODE, registered, registrySettings } from '../../support/live-registry.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { REGISTRANT } from '../../support/registrants.ts';
import type { ClientAnswer, SignedClient } from '../../support/signed-client.ts';

let registry: DemoRegistry;
let app: TestApp;
let client: SignedClient;
let fleets: WorkerProcess[] = [];

beforeEach(async () => {
  registry = await startDemoRegistry();
  app = await startTestApp({
    ...PROMPT,
    ...registrySettings(registry),
    TRANSFER_POLICY_LIVE: 'automatic',
    transferPollMaxMs: 100,
  });
  ({ client } = await app.partner({ environment: 'LIVE' }));
});
afterEach(async () => {
  for (const fleet of fleets) await fleet.stop();
  fleets = [];
  await app.stop();
  await registry.close();
});

function work(...queues: QueueName[]) {
  fleets.push(startWorkers(app.runtime, { queues }));
}
function pass(ms: number) {
  registry.clock.advance(ms);
  app.runtime.clock.advance(ms);
}
const list = (domain: string) =>
  addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 485_000 });
const orderBody = (domain: string) => ({
  domain,
  expected_price: 485_000,
  buyer: { email: 'buyer@example.com', name: 'Example Buyer', country: 'DE' },
  registrant: REGISTRANT,
});
const order = async (domain: string) => {
  const { status, body } = await client.post('/v1/orders', {
    body: orderBody(domain),
    idempotencyKey: `key-${domain}`,
  });
  expect(status).toBe(201);
  return body.public_id as string;
};
const until = (path: string, accept: (body: ClientAnswer['body']) => boolean) =>
  eventually(
    async () => (await client.get(path)).body,
    (body) => accept(body),
    { everyMs: 50 },
  );
const untilOrderIs = (id: string, status: string) =>
  until(`/v1/orders/${id}`, (body) => body.status === status);
const untilTransferIs = (id: string, status: string) =>
  until(`/v1/orders/${id}`, (body) => body.transfer?.status === status);
/** What the partner's history tells of an order. */
async function historyOf(id: string): Promise<string[]> {
  const { body } = await client.get('/v1/events');
  return body.events
    .filter((event: { data: ClientAnswer['body'] }) => event.data.order?.public_id === id)
    .map((event: { type: string; data: ClientAnswer['body'] }) =>
      [event.type, event.data.transfer?.method, event.data.transfer?.reason]
        .filter((part) => part !== undefined)
        .join(' '),
    );
}

describe('a LIVE order', () => {
  it('goes from search to settlement without an operator when the domain is in our account', async () => {
    const domain = registered(registry, 'gaining', 'oakdeck.com');
    await list(domain);
    work('transfers', 'transfer-polls');

    const found = await client.get('/v1/domains/search', { query: { q: 'oakdeck' } });
    expect(found.body.results[0]).toMatchObject({ domain, price_cents: 485_000 });
    const detail = await until(`/v1/domains/${domain}`, (body) => body.registrar !== null);
    expect(detail).toMatchObject({
      available: true,
      registrar: 'gaining',
      registry_statuses: ['inactive'],
      transferable: true,
      locked_until: null,
    });
    const quote = await client.post('/v1/quotes', { body: { domain } });
    const bought = await client.post('/v1/orders', {
      body: { ...orderBody(domain), quote_id: quote.body.quote_id },
      idempotencyKey: 'walk',
    });
    const id = bought.body.public_id as string;
    await takeDomain(app.runtime, id);
    expect(await untilOrderIs(id, 'TRANSFER_COMPLETED')).toMatchObject({
      transfer: { status: 'completed', method: 'push', registrar: 'epp', attempts: 1 },
    });

    pass(60 * DAY);
    work('settlements');
    expect(await untilOrderIs(id, 'SETTLED')).toMatchObject({ amount_owed_cents: 412_250 });
    expect(await historyOf(id)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'transfer.initiated push',
      'order.delivery_ready',
      'transfer.completed push',
      'order.transfer_completed',
      'order.settled',
    ]);
    const { registrant } = registry.state.domains[domain] ?? {};
    expect(registry.state.contacts[registrant ?? '']).toMatchObject({ email: 'buyer@example.com' });
    expect(registry.changes.map(({ clTRID, command }) => `${command} ${clTRID}`)).toEqual([
      expect.stringMatching(/^create trf_\w+-1-contact-1$/),
      expect.stringMatching(/^update trf_\w+-1-registrant-1$/),
    ]);
  });

  it('waits for its registrant details, then continues by itself', async () => {
    const domain = registered(registry, 'gaining');
    await list(domain);
    work('transfers', 'transfer-polls');
    const { registrant, ...body } = orderBody(domain);
    const bought = await client.post('/v1/orders', { body, idempotencyKey: 'waits' });
    const id = bought.body.public_id as string;
    expect(bought.body.action_required).toBe('registrant_required');
    const told = await client.put(`/v1/orders/${id}/registrant`, { body: registrant });
    expect(told.body).toMatchObject({ status: 'EXTERNALLY_PAID', action_required: null });
    await takeDomain(app.runtime, id);
    await untilOrderIs(id, 'TRANSFER_COMPLETED');
    expect(await historyOf(id)).toEqual([
      'order.recorded',
      'order.action_required',
      'order.transfer_started',
      'transfer.initiated push',
      'order.delivery_ready',
      'transfer.completed push',
      'order.transfer_completed',
    ]);
    const { registrant: handle } = registry.state.domains[domain] ?? {};
    expect(registry.state.contacts[handle ?? '']?.postalInfo).toMatchObject([
      { type: 'int', city: 'Berlin' },
      { type: 'loc', city: 'Berlin' },
    ]);
  });

  it('transfers a domain by auth code once the losing registrar’s period is over', async () => {
    const domain = registered(registry, 'losing');
    await list(domain);
    await app.runtime.db.transact((uow) =>
      setAuthCode(uow, app.runtime.secrets, { domain, authInfo: AUTH_CODE }),
    );
    work('transfers', 'transfer-polls');
    const id = await order(domain);
    const waiting = await untilTransferIs(id, 'pending_registry');
    expect(waiting.transfer).toMatchObject({ method: 'auth_code', reason: 'pendingTransfer' });
    pass(6 * DAY);
    await takeDomain(app.runtime, id);
    await untilOrderIs(id, 'TRANSFER_COMPLETED');
    expect(await historyOf(id)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'transfer.initiated push',
      'transfer.auth_code_ready auth_code',
      'transfer.pending_registry auth_code pendingTransfer',
      'order.delivery_ready',
      'transfer.completed auth_code',
      'order.transfer_completed',
    ]);
    expect(registry.state.domains[domain]).toMatchObject({ clID: 'gaining' });
  });

  it('waits for the auth code of a domain at another registrar', async () => {
    const domain = registered(registry, 'losing');
    await list(domain);
    work('transfers', 'transfer-polls');
    const id = await order(domain);
    const asked = await untilTransferIs(id, 'action_required');
    expect(asked.transfer.reason).toBe('auth_code_needed');
    await app.runtime.db.transact((uow) =>
      setAuthCode(uow, app.runtime.secrets, { domain, authInfo: AUTH_CODE }),
    );
    await untilTransferIs(id, 'pending_registry');
    expect(await historyOf(id)).toContain('transfer.auth_code_ready auth_code');
  });

  it('cancels the pending transfer request when it is refunded', async () => {
    const domain = registered(registry, 'losing');
    await list(domain);
    await app.runtime.db.transact((uow) =>
      setAuthCode(uow, app.runtime.secrets, { domain, authInfo: AUTH_CODE }),
    );
    work('transfers', 'transfer-polls');
    const id = await order(domain);
    await untilTransferIs(id, 'pending_registry');
    const body = { order_id: id, reason: 'requested_by_customer' };
    expect((await client.post('/v1/refunds', { body })).status).toBe(201);
    await untilOrderIs(id, 'REFUNDED');
    expect(registry.state.domains[domain]?.transfer?.status).toBe('clientCancelled');
    expect((await client.get(`/v1/domains/${domain}`)).body.available).toBe(true);
  });
});

describe('a domain that cannot be transferred', () => {
  it.each([
    ['clientTransferProhibited', { transferable: false, locked_until: null }],
    ['its age', { transferable: false, locked_until: expect.any(String) }],
  ])('is reported as unavailable before it is sold (%s)', async (why, told) => {
    const domain = registered(registry, 'losing');
    const record = registry.state.domains[domain];
    if (!record) throw new Error('not registered');
    if (why === 'its age') record.createdAt = registry.clock.now().toISOString();
    else record.statuses.push('clientTransferProhibited');
    await list(domain);
    work('transfer-polls');
    const detail = await until(`/v1/domains/${domain}`, (body) => body.registrar !== null);
    expect(detail).toMatchObject({ ...told, available: false });
    const { body: availability } = await client.get('/v1/availability', { query: { domain } });
    expect(availability).toMatchObject({ available: false });
    const idempotencyKey = 'refused';
    for (const answer of [
      await client.post('/v1/quotes', { body: { domain } }),
      await client.post('/v1/checkout-session', { body: { domain } }),
      await client.post('/v1/orders', { body: orderBody(domain), idempotencyKey }),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.body.error.details).toEqual({ reason: 'transfer_locked' });
    }
    pass(61 * DAY);
    if (why === 'its age')
      expect((await client.post('/v1/quotes', { body: { domain } })).status).toBe(201);
  });
});
