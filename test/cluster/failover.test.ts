import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { notOnce, orderEffects } from '../support/order-effects.ts';
import {
  type OwnRedisCluster,
  promote,
  startOwnRedisCluster,
  untilPrimary,
} from '../support/own-redis-cluster.ts';
import { QUICK } from '../support/quick-fleet.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { orderBody } from '../support/sales.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { type SignedClient, signedClient } from '../support/signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const SELLERS = 3;

/** The primaries of a Redis Cluster give way to their replicas, asked to and killed, while orders are sold. */
describe('a Redis Cluster that fails over', () => {
  let redis: OwnRedisCluster;
  let runtime: TestRuntime;
  let receiver: WebhookReceiver;
  let partner: PartnerFixture;
  let client: SignedClient;
  let processes: ServiceProcess[];

  beforeAll(async () => {
    redis = await startOwnRedisCluster({ replicas: true });
    const port = await freePort();
    runtime = await createTestRuntime({
      REDIS_URL: redis.urls,
      PORT: `${port}`,
      BASE_URL: `http://127.0.0.1:${port}`,
      ...QUICK,
      WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400',
    });
    partner = await givenPartner(runtime);
    client = signedClient(runtime.config.baseUrl, partner);
    receiver = await startWebhookReceiver();
    processes = ['api/main.ts', 'workers/main.ts', 'workers/main.ts'].map((script) =>
      serviceProcess(script, runtime.env),
    );
    for (const each of processes) each.start();
    const body = { url: receiver.url, secret: 'a-secret-of-sixteen-or-more' };
    await eventually(
      () =>
        client.put('/webhooks', { body }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      Boolean,
      { withinMs: 100_000 },
    );
  });

  afterAll(async () => {
    await Promise.all(processes.map((each) => each.kill()));
    await receiver.close();
    await runtime.stop();
    await redis.remove();
  });

  const orders = async () => (await runtime.db.knex('orders').select('id')).length;
  const moreOrders = async (more: number) => {
    const until = (await orders()) + more;
    await eventually(orders, (count) => count >= until, { withinMs: 60_000, everyMs: 50 });
  };

  it('takes orders again by itself; nothing is lost and nothing done twice', async () => {
    const [first, second, third] = redis.replicas;
    if (!first || !second || !third) throw new Error('each of the three primaries has a replica');
    let selling = true;
    const refusals = new Set<string>();
    const seller = async () => {
      while (selling) {
        const body = orderBody(await givenListing(runtime));
        const idempotencyKey = randomUUID();
        await eventually(
          () => client.post('/v1/orders', { body, idempotencyKey }),
          ({ status, body: answer }) => {
            if (status !== 201) refusals.add(`${status} ${answer.error?.code}`);
            return status === 201;
          },
          { withinMs: 60_000, everyMs: 50 },
        );
      }
    };
    const sellers = Promise.all(Array.from({ length: SELLERS }, seller));

    await moreOrders(5);
    await promote(first);
    await moreOrders(10);
    await redis.nodes[1]?.kill();
    await untilPrimary(second);
    await moreOrders(10);
    await redis.nodes[2]?.kill();
    await untilPrimary(third);
    await moreOrders(10);
    selling = false;
    await sellers;

    // Nobody is told anything but to come again.
    for (const refusal of refusals) expect(refusal).toBe('503 service_unavailable');
    const effects = await eventually(
      () => orderEffects(runtime),
      (all) => notOnce(all).length === 0,
      { withinMs: 60_000, everyMs: 100 },
    );
    expect(effects.length).toBe(await orders());
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
    const history = await runtime.db.knex('events').whereNotNull('position').pluck('id');
    await eventually(
      () => {
        const arrived = new Set(receiver.received.map(({ event }) => event.id));
        return history.filter((id) => !arrived.has(id));
      },
      (missing) => missing.length === 0,
      { withinMs: 60_000, everyMs: 100 },
    );
  }, 240_000);
});
