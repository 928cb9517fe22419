import { describe, expect, it } from '@jest/globals';
import { SECOND } from '../../../shared/platform/clock.ts';
import {
  eventIdsOf,
  everythingDelivered,
  openJobs,
  useDeliveryQueue,
} from '../../support/delivery-queue.ts';
import { eventually } from '../../support/eventually.ts';
import { type OwnRedis, startOwnRedis } from '../../support/own-redis.ts';
import { endProcess } from '../../support/service-process.ts';
import type { TestSettings } from '../../support/settings.ts';
import { givenEvents } from '../../support/webhooks.ts';

const { prepare, anotherEndpoint, start, startWorkerProcess, endsBy } = useDeliveryQueue();

describe('a webhook backlog', () => {
  /** Endpoints that take a while for what they are sent. */
  const givenBacklog = async (env: TestSettings = {}) => {
    const { runtime, ...first } = await prepare(env);
    const rest = await Promise.all(Array.from({ length: 5 }, () => anotherEndpoint(runtime)));
    const places = [first, ...rest];
    await runtime.db.knex('webhook_endpoints').update({ max_per_second: 100 });
    for (const { endpoint } of places) await givenEvents(runtime, endpoint, 150);
    const arrived = () => places.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
    return { runtime, places, arrived, count: places.length * 150 };
  };

  it('resumes within ten seconds after a worker is killed midway', async () => {
    const takeOverMs = async () => {
      const { runtime, places, arrived, count } = await givenBacklog();
      const worker = startWorkerProcess(runtime);
      await eventually(arrived, (so_far) => so_far > 100);
      const killedAt = Date.now();
      await endProcess(worker, 'SIGKILL');
      await eventually(() => places.every(({ receiver }) => receiver.underWay === 0));
      expect(arrived()).toBeLessThan(count);
      const before = places.map(({ receiver }) => receiver.received.length);
      start(runtime);
      await everythingDelivered(runtime, count);
      for (const { receiver } of places) expect(eventIdsOf(receiver).size).toBe(150);
      const resumedAt = places.map(({ receiver }, at) => receiver.received[before[at] ?? 0]?.at);
      return Math.max(...resumedAt.map((at) => at ?? 0)) - killedAt;
    };
    // Again when it took longer: that may have been the machine.
    await eventually(takeOverMs, (ms) => ms < 10 * SECOND);
  });

  it('is delivered when Redis is wiped midway', async () => {
    const redis: OwnRedis = await startOwnRedis();
    endsBy(() => redis.remove());
    const { runtime, places, arrived, count } = await givenBacklog({ REDIS_URL: redis.url });
    start(runtime);
    await eventually(arrived, (so_far) => so_far > 100);
    await redis.flushAll();
    const [{ endpoint } = { endpoint: undefined }] = places;
    if (!endpoint) throw new Error('no endpoint');
    await givenEvents(runtime, endpoint, 5);
    await everythingDelivered(runtime, count + 5);
    for (const { endpoint } of places) expect(await openJobs(runtime, endpoint)).toBeLessThan(2);
    expect(places.reduce((sum, { receiver }) => sum + eventIdsOf(receiver).size, 0)).toBe(
      count + 5,
    );
  });
});
