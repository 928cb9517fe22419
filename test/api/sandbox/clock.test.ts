import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { runMovedSandboxesTask } from '../../../workers/scheduled/sandbox-clocks.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, givenSession, sendForm } from '../../support/checkout.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { givenCredential, givenListing } from '../../support/factories.ts';
import { runOps } from '../../support/ops-command.ts';
import { givenRecordedOrder, orderBody } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

let app: TestApp;
let workers: WorkerProcess;
let receiver: WebhookReceiver;
beforeAll(async () => {
  app = await startTestApp({ outboxPollMs: 20, credentialCacheMs: 0 });
  receiver = await startWebhookReceiver();
  workers = startWorkers(app.runtime, {
    queues: ['maintenance', 'transfers', 'transfer-polls', 'settlements', 'webhooks'],
  });
});
afterAll(async () => {
  await workers.stop();
  await receiver.close();
  await app.stop();
});

const clockOf = async (client: SignedClient) =>
  (await client.get('/v1/sandbox/clock').expect(200)).body;
const ask = (client: SignedClient, body: object, more: object = {}) =>
  client.post('/v1/sandbox/clock/advance', { body, ...more });

/** Moves a clock and waits until the move is complete. */
async function advance(client: SignedClient, body: object) {
  await ask(client, body).expect(202);
  return eventually(
    () => clockOf(client),
    ({ status }) => status === 'ready',
  );
}

const typesOf = async (client: SignedClient): Promise<string[]> => {
  const { body } = await client.get('/v1/events', { query: { limit: 100 } }).expect(200);
  return body.events.map(({ type }: { type: string }) => type);
};
const sells = (client: SignedClient, body: object, status: number) =>
  client.post('/v1/orders', { body, idempotencyKey: randomUUID() }).expect(status);

describe('a sandbox clock that was moved', () => {
  it('triggers the reminders of an order that waits for its registrant', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime, { domain: 'registrant-clock.com' });
    const { body } = await sells(client, orderBody(listing, { registrant: undefined }), 201);
    const reminders = (): Promise<string[]> =>
      app.runtime.db
        .knex('outbox')
        .where({ name: 'remind-registrant' })
        .whereRaw("payload->>'orderId' = ?", body.public_id)
        .orderByRaw("payload->>'reminder'")
        .pluck('state');
    const until = (...states: string[]) =>
      eventually(reminders, (found) => found.join() === states.join());
    await advance(client, { by: '2d' });
    await until('done', 'pending');
    await advance(client, { by: '5d' });
    await until('done', 'done');
  });

  it('shows real time until it is moved, and then runs on from there', async () => {
    const { client } = await app.partner();
    const before = await clockOf(client);
    expect(before).toMatchObject({ ahead_seconds: 0, status: 'ready', advancing_to: null });
    const after = await advance(client, { by: '36h' });
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(36 * HOUR);
  });

  it('expires a quote, and an order with it is rejected', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const { body } = await client
      .post('/v1/quotes', { body: { domain: listing.domain } })
      .expect(201);
    await advance(client, { to: body.expires_at });
    const { quote_id } = body;
    const refused = await sells(client, { ...orderBody(listing), quote_id }, 422);
    expect(refused.body.error.code).toBe('quote_expired');
    await client.post('/v1/quotes', { body: { domain: listing.domain } }).expect(201);
  });

  it('keeps holding domains from other partners by real time', async () => {
    const [ahead, other] = [await app.partner(), await app.partner()];
    await advance(ahead.client, { by: '400d' });
    const { domain } = await givenListing(app.runtime);
    const quote = ({ client }: { client: SignedClient }, status: number) =>
      client.post('/v1/quotes', { body: { domain } }).expect(status);
    await quote(ahead, 201);
    await quote(other, 409);
    app.runtime.clock.advance(11 * MINUTE);
    await quote(other, 201);
    await quote(ahead, 409);
  });

  it('releases a domain to others when it passes the end of the hold', async () => {
    const [ahead, other] = [await app.partner(), await app.partner()];
    const { domain } = await givenListing(app.runtime);
    await ahead.client.post('/v1/quotes', { body: { domain } }).expect(201);
    await other.client.post('/v1/quotes', { body: { domain } }).expect(409);
    await advance(ahead.client, { by: '1h' });
    await other.client.post('/v1/quotes', { body: { domain } }).expect(201);
  });

  it('expires offers and checkout sessions on the way, with the same events as in LIVE', async () => {
    const { client } = await app.partner();
    const { domain } = await givenListing(app.runtime, { offersAccepted: true });
    const buyer = { email: 'buyer@example.com', name: 'A. Buyer' };
    const offer = await client
      .post('/v1/offers', { body: { domain, amount_cents: 300_000, buyer } })
      .expect(201);
    const session = await givenSession(app, client);
    await advance(client, { by: '8d' });
    const { body } = await client.get(`/v1/offers/${offer.body.id}`).expect(200);
    expect(body.status).toBe('EXPIRED');
    expect(await typesOf(client)).toEqual(['offer.created', 'offer.expired']);
    const events = (await client.get('/v1/events').expect(200)).body.events;
    const late = Date.parse(events[1].created_at) - Date.parse(offer.body.expires_at);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(HOUR);
    const page = await client.get(`/v1/checkout-session/${session.id}`).expect(200);
    expect(page.body.status).toBe('expired');
  });

  it('delivers an order, closes its period, makes the payout, and sends the webhooks', async () => {
    const { client, partnerId } = await app.partner();
    await client
      .put('/webhooks', {
        body: { url: receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
      })
      .expect(200);
    const { domain, url } = await givenSession(app, client);
    await sendForm(url, 'pay', buyerWith(CARDS.good));
    const { settlement_period_ends_at: end } = await clockOf(client);
    const to = new Date(Date.parse(end) + 3 * DAY).toISOString();
    await advance(client, { to });

    const orders = (await client.get('/v1/orders').expect(200)).body.orders;
    expect(orders).toMatchObject([{ domain, status: 'SETTLED' }]);
    const statements = (await client.get('/v1/settlements').expect(200)).body.settlements;
    expect(statements).toContainEqual(
      expect.objectContaining({ status: 'closed', period_end: end }),
    );
    const payouts = (await client.get('/v1/payouts').expect(200)).body.payouts;
    expect(payouts).toMatchObject([{ status: 'paid' }]);
    expect(Date.parse(payouts[0].paid_at)).toBeLessThanOrEqual(Date.parse(to));
    const history = await typesOf(client);
    expect(history.at(-1)).toBe('order.settled');
    const mine = () => receiver.received.filter(({ event }) => event.partner_id === partnerId);
    await eventually(
      () => new Set(mine().map(({ event }) => event.type)).size === new Set(history).size,
    );
    expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
  });

  it('keeps running: what becomes due later happens on time', async () => {
    const { client } = await app.partner();
    await advance(client, { by: '1d' });
    const { domain } = await givenListing(app.runtime, { offersAccepted: true });
    const buyer = { email: 'late@example.com', name: 'A. Buyer' };
    await client.post('/v1/offers', { body: { domain, amount_cents: 300_000, buyer } }).expect(201);
    app.runtime.clock.advance(7 * DAY);
    const signal = new AbortController().signal;
    await runMovedSandboxesTask.run({ runtime: app.runtime, signal });
    expect(await typesOf(client)).toContain('offer.expired');
  });
});

describe('the sandbox clock for operators', () => {
  it('has a page and a command that shows what is due next', async () => {
    const { client, partnerId } = await app.partner();
    const ops = await givenVisitor(app, 'support');
    const page = async () => readable((await ops.visit(`/partners/${partnerId}/clock`)).text);
    const command = ['sandbox-clock:show', '--partner', partnerId, '--json'];
    const show = async () => (await runOps(app.runtime, command)).json;
    expect(await page()).toContain('Last moved Never');
    expect(await show()).toMatchObject({
      ahead_seconds: 0,
      moved_at: null,
      advancing_to: null,
      next: { transfer_step: null, offer_expiry: null, settlement: null, payout: null },
    });

    await advance(client, { by: '36h' });
    const { domain } = await givenListing(app.runtime, { offersAccepted: true });
    const buyer = { email: 'seen@example.com', name: 'A. Buyer' };
    const offer = await client
      .post('/v1/offers', { body: { domain, amount_cents: 300_000, buyer } })
      .expect(201);
    const shown = await page();
    for (const words of ['Sandbox clock', 'Ahead of real time by 1 day 12 hours', 'Ready']) {
      expect(shown).toContain(words);
    }
    expect(shown).not.toContain('Last moved Never');
    const answer = await show();
    expect(answer).toMatchObject({
      partner_id: partnerId,
      moved_at: expect.any(String),
      next: { offer_expiry: offer.body.expires_at },
    });
    const { ahead_seconds: ahead } = (await client.get('/v1/sandbox/clock')).body;
    expect(ahead).toBeGreaterThan(0);
    expect(answer.ahead_seconds).toBe(ahead);
  });

  it('returns not_found for an unknown partner', async () => {
    const unknown = ['sandbox-clock:show', '--partner', 'ptr_nobody', '--json'];
    expect(await runOps(app.runtime, unknown)).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('moving a sandbox clock', () => {
  it('returns 404 for LIVE keys', async () => {
    const { client } = await app.partner({ environment: 'LIVE' });
    for (const answer of [await client.get('/v1/sandbox/clock'), await ask(client, { by: '1h' })]) {
      expect(answer.status).toBe(404);
      expect(answer.body.error.message).toContain('LIVE');
    }
  });

  it('requires the buy scope, which reading it does not', async () => {
    const { client } = await app.partner({ scopes: ['report'] });
    await client.get('/v1/sandbox/clock').expect(200);
    expect((await ask(client, { by: '1h' })).status).toBe(403);
  });

  it.each([
    ['backwards', { to: '2020-01-01T00:00:00.000Z' }],
    ['nowhere', {}],
    ['in two ways', { by: '1h', to: '2099-01-01T00:00:00.000Z' }],
    ['by nothing', { by: '0h' }],
    ['by less than nothing', { by: '-1h' }],
    ['by three years', { by: '1096d' }],
    ['by more than a number holds', { by: '99999999d' }],
    ['to a year that no clock shows', { to: '9999-12-31T23:59:59.999Z' }],
    ['to the middle ages', { to: '0001-01-01T00:00:00.000Z' }],
    ['to words', { to: 'tomorrow' }],
  ])('is rejected: %s', async (_how, body) => {
    const { client } = await app.partner();
    await ask(client, body).expect(400);
    expect((await clockOf(client)).ahead_seconds).toBe(0);
  });

  it('is limited to two years ahead in total', async () => {
    const { client } = await app.partner();
    await advance(client, { by: '730d' });
    await ask(client, { by: '2d' }).expect(400);
  });

  it('is done once per Idempotency-Key, and once per target time', async () => {
    const { client } = await app.partner();
    const idempotencyKey = randomUUID();
    const first = await ask(client, { by: '5h' }, { idempotencyKey }).expect(202);
    const again = await ask(client, { by: '5h' }, { idempotencyKey }).expect(202);
    expect(again.body).toEqual(first.body);
    const to = first.body.advancing_to;
    await ask(client, { to }).expect(202);
    await eventually(
      () => clockOf(client),
      ({ status }) => status === 'ready',
    );
    expect((await ask(client, { to }).expect(202)).body.status).toBe('ready');
  });

  it('accepts at least one of several concurrent requests, and returns 409 to the others', async () => {
    const { client } = await app.partner();
    const asked = await Promise.all(['3h', '5h', '7h'].map((by) => ask(client, { by })));
    const accepted = asked.filter(({ status }) => status === 202);
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    for (const { status, body } of asked) {
      if (status !== 202)
        expect([status, body.error.details.reason]).toEqual([409, 'invalid_state']);
    }
    await eventually(
      () => clockOf(client),
      ({ status }) => status === 'ready',
    );
  });

  it('keeps idempotency keys valid: an order before the move is replayed after it', async () => {
    const { client } = await app.partner();
    const listing = await givenListing(app.runtime);
    const sale = { body: orderBody(listing), idempotencyKey: randomUUID() };
    const first = await client.post('/v1/orders', sale).expect(201);
    await advance(client, { by: '300d' });
    const again = await client.post('/v1/orders', sale).expect(201);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.text).toBe(first.text);
  });

  it('does not affect LIVE or the sandboxes of other partners', async () => {
    const mine = await app.partner();
    const live = app.as(
      await givenCredential(app.runtime, mine.partnerId, { environment: 'LIVE' }),
    );
    const { partner: theirs } = await givenRecordedOrder(app);
    const listing = await givenListing(app.runtime, { environment: 'LIVE' });
    const quote = await live.post('/v1/quotes', { body: { domain: listing.domain } }).expect(201);
    await advance(mine.client, { by: '60d' });
    expect((await clockOf(theirs.client)).ahead_seconds).toBe(0);
    const { quote_id } = quote.body;
    const sold = await sells(live, { ...orderBody(listing), quote_id }, 201);
    expect(Date.parse(sold.body.created_at)).toBeLessThan(app.runtime.clock.now().getTime() + DAY);
  });
});
