import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { type OwnRedis, startOwnRedis } from '../support/own-redis.ts';
import { QUICK } from '../support/quick-fleet.ts';
import {
  type RunningService,
  startService,
  untilEverythingHappenedOnce,
  untilOrders,
} from '../support/running-service.ts';
import { orderBody } from '../support/sales.ts';

const ORDERS = 60;
const SELLERS = 4;

/** The whole service in separate processes, selling while they are killed and Redis is wiped. */
describe('the whole service under faults', () => {
  let redis: OwnRedis;
  let service: RunningService;

  beforeAll(async () => {
    redis = await startOwnRedis();
    service = await startService({ env: { REDIS_URL: redis.url, ...QUICK }, workers: [{}, {}] });
  });

  afterAll(async () => {
    await service.stop();
    await redis.remove();
  });

  let unanswered = 0;

  /** What a careful partner does: the same key until there is an answer. */
  async function sellWithRetries(listing: { domain: string; priceCents: number }): Promise<void> {
    const idempotencyKey = randomUUID();
    await eventually(
      () =>
        service.client.post('/v1/orders', { body: orderBody(listing), idempotencyKey }).then(
          ({ status }) => status,
          () => {
            unanswered += 1;
            return 0;
          },
        ),
      (status) => status === 201,
      { everyMs: 50 },
    );
  }

  const reach = (orders: number) => untilOrders(service.runtime, orders);

  async function wreak(): Promise<void> {
    const { workers } = service;
    const [api] = service.apis;
    await reach(8);
    await redis.flushAll();
    await reach(16);
    await Promise.all(workers.map((worker) => worker.kill()));
    await reach(24);
    for (const worker of workers) worker.start();
    await api?.kill();
    const before = unanswered;
    await eventually(() => unanswered > before);
    api?.start();
    await reach(36);
    await Promise.all([redis.flushAll(), workers[0]?.kill()]);
    workers[0]?.start();
    await reach(48);
    await Promise.all([api?.kill(), redis.kill()]);
    await redis.start();
    api?.start();
    await reach(ORDERS);
    await redis.flushAll();
  }

  it('delivers every event and makes one ledger entry and one push per order', async () => {
    // They sell until the last fault: however fast they are, each comes while orders are on their way.
    let selling = true;
    let sold = 0;
    const seller = async () => {
      while (selling) {
        await sellWithRetries(await givenListing(service.runtime));
        sold += 1;
      }
    };
    const end = () => {
      selling = false;
    };
    await Promise.all([wreak().finally(end), ...Array.from({ length: SELLERS }, seller)]);

    expect(sold).toBeGreaterThanOrEqual(ORDERS);
    expect(await untilEverythingHappenedOnce(service)).toHaveLength(sold);
  }, 240_000);
});
