import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkLedger } from '../../shared/operations/ledger-check/ledger-check.ts';
import { requireNoEviction } from '../../shared/platform/redis/eviction-policy.ts';
import { createClickBuffer } from '../../shared/sales/referral/click-buffer.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { metricsIn, sumOf } from '../support/metrics.ts';
import { notOnce, orderEffects } from '../support/order-effects.ts';
import { type OwnRedisCluster, startOwnRedisCluster } from '../support/own-redis-cluster.ts';
import { QUICK } from '../support/quick-fleet.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { sell } from '../support/sales.ts';
import { sendByHand } from '../support/send-by-hand.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { type SignedClient, signedClient } from '../support/signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const SEARCHES_A_MINUTE = 12;
const ORDERS = 16;

/** Two API processes and up to three workers share one Postgres and a Redis Cluster of three primaries. */
describe('many machines', () => {
  let redis: OwnRedisCluster;
  let runtime: TestRuntime;
  let receiver: WebhookReceiver;
  let partner: PartnerFixture;
  let urls: string[];
  let clients: SignedClient[];
  let apis: ServiceProcess[];
  let workers: ServiceProcess[];
  let metricsPorts: number[];

  beforeAll(async () => {
    redis = await startOwnRedisCluster();
    const ports = [await freePort(), await freePort()];
    runtime = await createTestRuntime({
      REDIS_URL: redis.urls,
      RATE_LIMITS: 'on',
      LIMIT_SEARCH: `${SEARCHES_A_MINUTE}`,
      LIMIT_WRITE: '1000',
      ...QUICK,
      WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400',
    });
    partner = await givenPartner(runtime);
    receiver = await startWebhookReceiver();
    urls = ports.map((port) => `http://127.0.0.1:${port}`);
    clients = urls.map((url) => signedClient(url, partner));
    apis = ports.map((port) => serviceProcess('api/main.ts', { ...runtime.env, PORT: `${port}` }));
    metricsPorts = [await freePort(), await freePort(), await freePort()];
    workers = metricsPorts.map((port) =>
      serviceProcess('workers/main.ts', { ...runtime.env, METRICS_PORT: `${port}` }),
    );
    for (const each of [...apis, ...workers.slice(0, 2)]) each.start();
    for (const client of clients) {
      await eventually(() => registerReceiver(client), Boolean, { withinMs: 60_000 });
    }
  });

  afterAll(async () => {
    await Promise.all([...apis, ...workers].map((each) => each.kill()));
    await receiver.close();
    await runtime.stop();
    await redis.remove();
  });

  const registerReceiver = (client: SignedClient) =>
    client
      .put('/webhooks', { body: { url: receiver.url, secret: 'a-secret-of-sixteen-or-more' } })
      .then(
        ({ status }) => status === 200,
        () => false,
      );

  it('let a nonce pass once, whichever of them is asked', async () => {
    const nonces = Array.from({ length: 5 }, () => randomUUID());
    const path = '/api/partner/v1/orders';
    const codes = await Promise.all(
      nonces.flatMap((nonce) =>
        urls.map((url) => sendByHand(url, partner, { nonce, path, query: '' })),
      ),
    );
    expect(codes.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(codes.filter(({ code }) => code === 'replay_detected')).toHaveLength(5);
  });

  it('count a limit together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 * SEARCHES_A_MINUTE }, (_, n) =>
        sendByHand(urls[n % 2] ?? '', partner, {}),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(SEARCHES_A_MINUTE);
    expect(answers.filter(({ code }) => code === 'rate_limited')).toHaveLength(SEARCHES_A_MINUTE);
  });

  it('count clicks of referral links, whose scripts take several keys', async () => {
    const clicks = createClickBuffer(runtime.redis, runtime.config);
    expect(await clicks.visit('nobody', '2026-11-20', 'visitor')).toBeNull();
    expect(await clicks.takeBatch('batch')).toBeNull();
  });

  it('refuse a cluster of which one shard evicts keys', async () => {
    const setPolicy = (policy: string) =>
      redis.nodes[2]?.command('config', 'set', 'maxmemory-policy', policy);
    await setPolicy('allkeys-lfu');
    await expect(requireNoEviction(runtime.redis, runtime.log)).rejects.toThrow('allkeys-lfu');
    await setPolicy('noeviction');
    await requireNoEviction(runtime.redis, runtime.log);
  });

  it('spread their keys over the shards', async () => {
    const sizes = await redis.sizes();
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    const slots = await Promise.all(
      runtime.queues
        .all()
        .map((queue) => redis.nodes[0]?.command('cluster', 'keyslot', queue.toKey('wait'))),
    );
    expect(new Set(slots).size).toBe(runtime.queues.all().length);
  });

  it('do each job once, while workers come and go and shards are wiped', async () => {
    const listings = await Promise.all(Array.from({ length: ORDERS }, () => givenListing(runtime)));
    const sold = listings.entries();
    const seller = async (client: SignedClient) => {
      for (const [, listing] of sold) await sell(client, listing, { expect: 201 });
    };
    const disturb = async () => {
      await reach(4);
      await redis.nodes[0]?.flushAll();
      workers[2]?.start();
      await reach(8);
      await redis.flushAll();
      expect(await workers[0]?.stop()).toBe(0);
      await reach(12);
      await redis.nodes[1]?.flushAll();
    };
    await Promise.all([disturb(), ...clients.map(seller)]);

    const effects = await eventually(
      () => orderEffects(runtime),
      (all) => all.length === ORDERS && notOnce(all).length === 0,
      { withinMs: 40_000, everyMs: 100 },
    );
    expect(effects.map(({ pushes }) => pushes)).toEqual(Array(ORDERS).fill(1));
    expect(await checkLedger(runtime)).toMatchObject({ ok: true });
    const history = await runtime.db.knex('events').whereNotNull('position').pluck('id');
    await eventually(
      () => {
        const arrived = new Set(receiver.received.map(({ event }) => event.id));
        return history.filter((id) => !arrived.has(id));
      },
      (missing) => missing.length === 0,
      { withinMs: 30_000, everyMs: 100 },
    );
  });

  it('share the load: every API process sells, every worker does jobs', async () => {
    workers[0]?.start();
    const jobsDone = () => Promise.all(metricsPorts.map(jobsDoneBy));
    const before = await eventually(jobsDone, (counts) => !counts.includes(undefined), {
      withinMs: 60_000,
    });
    const listings = await Promise.all(Array.from({ length: ORDERS }, () => givenListing(runtime)));
    const sold = listings.entries();
    const sales = await Promise.all(
      clients.map(async (client) => {
        let count = 0;
        for (const [, listing] of sold) {
          await sell(client, listing, { expect: 201 });
          count += 1;
        }
        return count;
      }),
    );
    expect(Math.min(...sales)).toBeGreaterThan(0);
    await eventually(
      () => orderEffects(runtime),
      (all) => all.length === 2 * ORDERS && notOnce(all).length === 0,
      { withinMs: 40_000, everyMs: 100 },
    );
    const shares = (await jobsDone()).map((count, at) => (count ?? 0) - (before[at] ?? 0));
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });

  /** Jobs that the worker on this port has done well; undefined while it does not answer. */
  const jobsDoneBy = async (port: number): Promise<number | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    if (!answer?.ok) return undefined;
    return sumOf(metricsIn(await answer.text()), 'marketplace_jobs_total', { outcome: 'done' });
  };

  const reach = (orders: number) =>
    eventually(
      async () => (await runtime.db.knex('orders').select('id')).length,
      (count) => count >= orders,
      { withinMs: 30_000 },
    );

  it('say so when a shard is away, and go on when it is back', async () => {
    const node = redis.nodes[2];
    if (!node) throw new Error('there are three nodes');
    await node.kill();
    const path = '/api/partner/v1/orders';
    const ask = () => sendByHand(urls[0] ?? '', partner, { path, query: '' });
    await eventually(ask, ({ status }) => status === 503);
    await redis.restart(node);
    await eventually(
      () => Promise.all(Array.from({ length: 10 }, ask)),
      (answers) => answers.every(({ status }) => status === 200),
      { withinMs: 20_000, everyMs: 200 },
    );
    const [client] = clients;
    if (!client) throw new Error('there are two clients');
    const { body } = await sell(client, await givenListing(runtime), { expect: 201 });
    await eventually(
      () => runtime.db.knex('orders').where({ id: body.public_id }).first('status'),
      (order) => order?.status === 'TRANSFER_COMPLETED',
      { withinMs: 20_000 },
    );
  });
});
