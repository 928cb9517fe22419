import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireNoEviction } from '../../shared/platform/redis/eviction-policy.ts';
import { createClickBuffer } from '../../shared/sales/referral/click-buffer.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { metricsIn, sumOf } from '../support/metrics.ts';
import { notOnce, orderEffects } from '../support/order-effects.ts';
import { type OwnRedisCluster, startOwnRedisCluster } from '../support/own-redis-cluster.ts';
import { QUICK } from '../support/quick-fleet.ts';
import {
  type RunningService,
  startService,
  untilEverythingHappenedOnce,
  untilOrders,
} from '../support/running-service.ts';
import { sell } from '../support/sales.ts';
import { sendByHand } from '../support/send-by-hand.ts';
import { freePort, type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import type { SignedClient } from '../support/signed-client.ts';

const SEARCHES_A_MINUTE = 12;
const ORDERS = 16;

/** Two API processes and up to three workers share one Postgres and a Redis Cluster of three primaries. */
describe('several API and worker processes', () => {
  let redis: OwnRedisCluster;
  let service: RunningService;
  /** A third worker, which is started later. */
  let late: ServiceProcess;
  let metricsPorts: number[];

  beforeAll(async () => {
    redis = await startOwnRedisCluster();
    metricsPorts = [await freePort(), await freePort(), await freePort()];
    const [forLate, ...workers] = metricsPorts.map((port) => ({ METRICS_PORT: `${port}` }));
    const limits = {
      RATE_LIMITS: 'on',
      LIMIT_SEARCH: `${SEARCHES_A_MINUTE}`,
      LIMIT_WRITE: '1000',
    };
    service = await startService({
      env: { REDIS_URL: redis.urls, ...limits, ...QUICK },
      apis: [{}, {}],
      workers,
    });
    late = serviceProcess('workers/main.ts', { ...service.runtime.env, ...forLate });
  });

  afterAll(async () => {
    await late.kill();
    await service.stop();
    await redis.remove();
  });

  it('accept a nonce once across processes', async () => {
    const { urls, partner } = service;
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

  it('share rate limits', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 * SEARCHES_A_MINUTE }, (_, n) =>
        sendByHand(service.urls[n % 2] ?? '', service.partner, {}),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(SEARCHES_A_MINUTE);
    expect(answers.filter(({ code }) => code === 'rate_limited')).toHaveLength(SEARCHES_A_MINUTE);
  });

  it('count referral clicks with multi-key scripts', async () => {
    const { runtime } = service;
    const clicks = createClickBuffer(runtime.redis, runtime.config);
    expect(await clicks.visit('nobody', '2026-11-20', 'visitor')).toBeNull();
    expect(await clicks.takeBatch('batch')).toBeNull();
  });

  it('reject a cluster with a shard that evicts keys', async () => {
    const { runtime } = service;
    const setPolicy = (policy: string) =>
      redis.nodes[2]?.command('config', 'set', 'maxmemory-policy', policy);
    await setPolicy('allkeys-lfu');
    await expect(requireNoEviction(runtime.redis, runtime.log)).rejects.toThrow('allkeys-lfu');
    await setPolicy('noeviction');
    await requireNoEviction(runtime.redis, runtime.log);
  });

  it('spread their keys over all shards', async () => {
    const sizes = await redis.sizes();
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    const { queues } = service.runtime;
    const slots = await Promise.all(
      queues
        .all()
        .map((queue) => redis.nodes[0]?.command('cluster', 'keyslot', queue.toKey('wait'))),
    );
    expect(new Set(slots).size).toBe(queues.all().length);
  });

  it('run each job once while workers restart and shards are wiped', async () => {
    const { runtime, clients, workers } = service;
    const listings = await Promise.all(Array.from({ length: ORDERS }, () => givenListing(runtime)));
    const sold = listings.entries();
    const seller = async (client: SignedClient) => {
      for (const [, listing] of sold) await sell(client, listing).expect(201);
    };
    const disturb = async () => {
      await untilOrders(runtime, 4);
      await redis.nodes[0]?.flushAll();
      late.start();
      await untilOrders(runtime, 8);
      await redis.flushAll();
      expect(await workers[0]?.stop()).toBe(0);
      await untilOrders(runtime, 12);
      await redis.nodes[1]?.flushAll();
    };
    await Promise.all([disturb(), ...clients.map(seller)]);

    const effects = await untilEverythingHappenedOnce(service);
    expect(effects.map(({ pushes }) => pushes)).toEqual(Array(ORDERS).fill(1));
  });

  it('share the load: every API process sells and every worker runs jobs', async () => {
    const { runtime, client, clients, workers } = service;
    workers[0]?.start();
    const jobsDone = () => Promise.all(metricsPorts.map(jobsDoneBy));
    const before = await eventually(jobsDone, (counts) => !counts.includes(undefined));
    const listings = await Promise.all(Array.from({ length: ORDERS }, () => givenListing(runtime)));
    const unsold = listings.entries();
    const sales = await Promise.all(
      clients.map(async (client) => {
        let count = 0;
        for (const [, listing] of unsold) {
          await sell(client, listing).expect(201);
          count += 1;
        }
        return count;
      }),
    );
    expect(Math.min(...sales)).toBeGreaterThan(0);
    // A worker that has just started may find nothing left to do: orders go on until each had a job.
    let sold = 2 * ORDERS;
    const sellAndCount = async () => {
      await sell(client, await givenListing(runtime)).expect(201);
      sold += 1;
      return jobsDone();
    };
    await eventually(sellAndCount, (counts) =>
      counts.every((count, at) => (count ?? 0) > (before[at] ?? 0)),
    );
    await eventually(
      () => orderEffects(runtime),
      (all) => all.length === sold && notOnce(all).length === 0,
      { everyMs: 100 },
    );
  });

  /** Jobs that the worker on this port has done well; undefined while it does not answer. */
  const jobsDoneBy = async (port: number): Promise<number | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    if (!answer?.ok) return undefined;
    return sumOf(metricsIn(await answer.text()), 'marketplace_jobs_total', { outcome: 'done' });
  };

  it('return 503 while a shard is down and recover when it is back', async () => {
    const { runtime, urls, partner, client } = service;
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
      { everyMs: 200 },
    );
    const { body } = await sell(client, await givenListing(runtime)).expect(201);
    await eventually(
      () => runtime.db.knex('orders').where({ id: body.public_id }).first('status'),
      (order) => order?.status === 'TRANSFER_COMPLETED',
    );
  });
});
