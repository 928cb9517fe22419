import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenSession } from '../../support/checkout.ts';
import { eventually } from '../../support/eventually.ts';
import { givenCredential, givenListing } from '../../support/factories.ts';
import { orderBody, sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
let workers: WorkerProcess;
beforeAll(async () => {
  app = await startTestApp({
    outboxPollMs: 20,
    TRANSFER_START_DELAY_MS: '50',
    TRANSFER_CONFIRM_DELAY_MS: '50',
    transferPollMs: 50,
    sandboxRegistrarDelayMs: 50,
  });
  workers = startWorkers(app.runtime, {
    queues: ['maintenance', 'transfers', 'transfer-polls', 'settlements'],
  });
});
afterAll(async () => {
  await workers.stop();
  await app.stop();
});

/** The tables with a partner's data. */
const TABLES = [
  'brokerage_cases',
  'checkout_sessions',
  'documents',
  'event_streams',
  'events',
  'ledger_entries',
  'offers',
  'orders',
  'payments',
  'payouts',
  'quotes',
  'refunds',
  'settlements',
  'transfers',
];

/** All rows of an owner, serialized. */
async function rowsOf(partnerId: string, environment: string): Promise<string> {
  const all: Record<string, unknown> = {};
  for (const table of TABLES) {
    const rows = await app.runtime.db.knex(table).where({ partner_id: partnerId, environment });
    all[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return JSON.stringify(all);
}

const BUYER = { email: 'buyer@example.com', name: 'A. Buyer' };
const clockOf = async (client: SignedClient) =>
  (await client.get('/v1/sandbox/clock').expect(200)).body;
const quote = (client: SignedClient, domain: string) =>
  client.post('/v1/quotes', { body: { domain } }).expect(201);
const offer = (client: SignedClient, domain: string) =>
  client.post('/v1/offers', { body: { domain, amount_cents: 300_000, buyer: BUYER } }).expect(201);

/** Creates one of everything with a deadline: a quote, an offer, a checkout session, a delivered order. */
async function trade(client: SignedClient, environment: 'SANDBOX' | 'LIVE'): Promise<void> {
  const listing = () => givenListing(app.runtime, { environment, offersAccepted: true });
  await quote(client, (await listing()).domain);
  await offer(client, (await listing()).domain);
  await givenSession(app, client, { environment });
  const { body } = await sell(client, await listing()).expect(201);
  if (environment === 'LIVE') return;
  await eventually(
    async () => (await client.get(`/v1/orders/${body.public_id}`)).body.status,
    (status) => status === 'TRANSFER_COMPLETED',
  );
}

/** What a partner can do besides moving its clock. */
const STEPS: Record<string, (client: SignedClient) => Promise<unknown>> = {
  quote: async (client) => quote(client, (await givenListing(app.runtime)).domain),
  offer: async (client) =>
    offer(client, (await givenListing(app.runtime, { offersAccepted: true })).domain),
  order: async (client) => {
    const listing = await givenListing(app.runtime);
    const { quote_id } = (await quote(client, listing.domain)).body;
    const body = { ...orderBody(listing), quote_id };
    return client.post('/v1/orders', { body, idempotencyKey: randomUUID() }).expect(201);
  },
  refund: async (client) => {
    const { orders } = (await client.get('/v1/orders').expect(200)).body;
    const id = orders[0]?.public_id;
    return id && client.post(`/v1/sandbox/orders/${id}/advance`, { body: { to: 'REFUNDED' } });
  },
};

const step = fc.oneof(
  fc.constantFrom(...Object.keys(STEPS)).map((name) => ({ name })),
  fc.constantFrom('1s', '11m', '25h', '8d', '40d').map((by) => ({ by })),
);

it('moving one sandbox clock changes no others, balances all ledgers, and never goes back', async () => {
  const still = await app.partner();
  await trade(still.client, 'SANDBOX');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const { client, partnerId } = await app.partner();
      const credential = await givenCredential(app.runtime, partnerId, { environment: 'LIVE' });
      await trade(app.as(credential), 'LIVE');
      const others = async () => [
        await rowsOf(still.partnerId, 'SANDBOX'),
        await rowsOf(partnerId, 'LIVE'),
      ];
      const before = await others();
      let last = await clockOf(client);
      for (const each of steps) {
        if ('by' in each) {
          await client.post('/v1/sandbox/clock/advance', { body: each }).expect(202);
          await eventually(
            () => clockOf(client),
            ({ status }) => status === 'ready',
          );
        } else await STEPS[each.name]?.(client);
        const now = await clockOf(client);
        expect(now.now >= last.now && now.ahead_seconds >= last.ahead_seconds).toBe(true);
        last = now;
      }
      expect(await others()).toEqual(before);
      expect((await checkLedger(app.runtime)).imbalances).toEqual([]);
      const { rows } = await app.runtime.db.knex.raw(
        `select o.id from orders o join order_timeline t on t.order_id = o.id
         where o.partner_id = ? group by o.id
         having array_agg(t.at order by t.id) <> array_agg(t.at order by t.at, t.id)
           or min(t.at) < o.created_at or o.transfer_completed_at > o.settled_at`,
        [partnerId],
      );
      expect(rows).toEqual([]);
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 480_000);
