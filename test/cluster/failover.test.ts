import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import {
  type OwnRedisCluster,
  promote,
  startOwnRedisCluster,
  untilPrimary,
} from '../support/own-redis-cluster.ts';
import { QUICK } from '../support/quick-fleet.ts';
import {
  type RunningService,
  startService,
  untilEverythingHappenedOnce,
  untilMoreOrders,
} from '../support/running-service.ts';
import { orderBody } from '../support/sales.ts';

const SELLERS = 3;

/** Redis Cluster primaries fail over to their replicas, by command and by being killed, while orders are sold. */
describe('the service during a Redis Cluster failover', () => {
  let redis: OwnRedisCluster;
  let service: RunningService;

  beforeAll(async () => {
    redis = await startOwnRedisCluster({ replicas: true });
    service = await startService({ env: { REDIS_URL: redis.urls, ...QUICK }, workers: [{}, {}] });
  });

  afterAll(async () => {
    await service.stop();
    await redis.remove();
  });

  it('recovers by itself, losing nothing and doing nothing twice', async () => {
    const { runtime, client } = service;
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
          { everyMs: 50 },
        );
      }
    };
    const sellers = Promise.all(Array.from({ length: SELLERS }, seller));

    await untilMoreOrders(runtime, 5);
    await promote(first);
    await untilMoreOrders(runtime, 10);
    await redis.nodes[1]?.kill();
    await untilPrimary(second);
    await untilMoreOrders(runtime, 10);
    await redis.nodes[2]?.kill();
    await untilPrimary(third);
    await untilMoreOrders(runtime, 10);
    selling = false;
    await sellers;

    // Nobody is told anything but to come again.
    for (const refusal of refusals) expect(refusal).toBe('503 service_unavailable');
    await untilEverythingHappenedOnce(service);
  }, 240_000);
});
