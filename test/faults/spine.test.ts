import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { notOnce, orderEffects } from '../support/order-effects.ts';
import { type OwnRedis, startOwnRedis } from '../support/own-redis.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { orderBody } from '../support/sales.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { type SignedClient, signedClient } from '../support/signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const ORDERS = 60;
const SELLERS = 4;

/** The whole service in processes of its own, selling while it is killed and its Redis wiped. */
describe('the spine under faults', () => {
  let redis: OwnRedis;
  let runtime: TestRuntime;
  let receiver: WebhookReceiver;
  let partner: PartnerFixture;
  let client: SignedClient;
  let api: ServiceProcess;
  let workers: ServiceProcess[];

  beforeAll(async () => {
    redis = await startOwnRedis();
    const port = await freePort();
    runtime = await createTestRuntime({
      REDIS_URL: redis.url,
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      JOB_LOCK_MS: '1000',
      OUTBOX_LEASE_MS: '2500',
      WEBHOOK_TIMEOUT_MS: '1500',
      RECONCILE_MS: '300',
      TRANSFER_START_DELAY_MS: '100',
      TRANSFER_CONFIRM_DELAY_MS: '100',
      TRANSFER_POLL_MS: '50',
      SANDBOX_REGISTRAR_DELAY_MS: '100',
      WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400',
    });
    partner = await givenPartner(runtime);
    client = signedClient(runtime.config.baseUrl, partner);
    receiver = await startWebhookReceiver();
    api = serviceProcess('api/main.ts', runtime.env);
    workers = [
      serviceProcess('workers/main.ts', runtime.env),
      serviceProcess('workers/main.ts', runtime.env),
    ];
    for (const each of [api, ...workers]) each.start();
    await eventually(
      () => put(),
      (status) => status === 200,
      { withinMs: 20_000 },
    );
  });

  afterAll(async () => {
    await Promise.all([api.kill(), ...workers.map((worker) => worker.kill())]);
    await receiver.close();
    await runtime.stop();
    await redis.remove();
  });

  const put = async () => {
    const body = { url: receiver.url, secret: 'a-secret-of-sixteen-or-more' };
    return client.put('/webhooks', { body }).then(
      ({ status }) => status,
      () => 0,
    );
  };

  let unanswered = 0;

  /** What a careful partner does: the same key until there is an answer. */
  async function sellWithRetries(listing: { domain: string; priceCents: number }): Promise<void> {
    const idempotencyKey = randomUUID();
    await eventually(
      () =>
        client.post('/v1/orders', { body: orderBody(listing), idempotencyKey }).then(
          ({ status }) => status,
          () => {
            unanswered += 1;
            return 0;
          },
        ),
      (status) => status === 201,
      { withinMs: 60_000, everyMs: 50 },
    );
  }

  const orderCount = async () => (await runtime.db.knex('orders').select('id')).length;
  const reach = (orders: number) =>
    eventually(orderCount, (count) => count >= orders, { withinMs: 60_000 });

  async function wreak(): Promise<void> {
    await reach(8);
    await redis.flushAll();
    await reach(16);
    await Promise.all(workers.map((worker) => worker.kill()));
    await reach(24);
    for (const worker of workers) worker.start();
    await api.kill();
    const before = unanswered;
    await eventually(() => unanswered > before);
    api.start();
    await reach(36);
    await Promise.all([redis.flushAll(), workers[0]?.kill()]);
    workers[0]?.start();
    await reach(48);
    await Promise.all([api.kill(), redis.kill()]);
    await redis.start();
    api.start();
    await reach(ORDERS);
    await redis.flushAll();
  }

  it('delivers every event, and makes one ledger entry and one push of every order', async () => {
    const listings = await Promise.all(Array.from({ length: ORDERS }, () => givenListing(runtime)));
    const waiting = [...listings];
    const seller = async () => {
      for (let listing = waiting.shift(); listing; listing = waiting.shift())
        await sellWithRetries(listing);
    };
    await Promise.all([wreak(), ...Array.from({ length: SELLERS }, seller)]);

    await eventually(
      () =>
        runtime.db.knex('orders').whereNot('status', 'TRANSFER_COMPLETED').select('id', 'status'),
      (unfinished) => unfinished.length === 0,
      { withinMs: 90_000, everyMs: 100 },
    );
    const effects = await orderEffects(runtime);
    expect(effects).toHaveLength(ORDERS);
    expect(notOnce(effects)).toEqual([]);
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });

    const history: string[] = (
      await runtime.db.knex('events').whereNotNull('position').select('id')
    ).map((row) => row.id);
    await eventually(
      () => {
        const arrived = new Set(receiver.received.map((webhook) => webhook.event.id));
        return history.filter((id) => !arrived.has(id));
      },
      (missing) => missing.length === 0,
      { withinMs: 60_000, everyMs: 100 },
    );
  }, 240_000);
});
