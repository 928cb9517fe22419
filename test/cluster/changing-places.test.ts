import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import {
  connectRedis,
  defineScript,
  isRedisUnavailable,
  type Redis,
} from '../../shared/platform/redis/redis.ts';
import { eventually } from '../support/eventually.ts';
import {
  type OwnRedisCluster,
  promote,
  startOwnRedisCluster,
  untilPrimary,
} from '../support/own-redis-cluster.ts';

const CALLERS = 20;
const CHANGES = 12;

/** Checks the errors that Redis callers get while primaries and replicas swap roles repeatedly. */
describe('Redis Cluster commands during repeated failovers', () => {
  let cluster: OwnRedisCluster;
  let redis: Redis;

  beforeAll(async () => {
    cluster = await startOwnRedisCluster({ replicas: true });
    redis = connectRedis(
      { redisUrl: cluster.urls },
      'commands',
      createLogger({ level: 'silent', name: 'test' }),
    );
  });

  afterAll(async () => {
    redis.disconnect();
    await cluster.remove();
  });

  it('fail only with errors that callers may retry', async () => {
    const count = defineScript(redis, 'countTwice', COUNT_TWICE);
    const unknown = new Set<string>();
    let changing = true;
    let answered = 0;
    const caller = async (id: number) => {
      for (let call = 0; changing; call += 1) {
        const key = `{${id}-${call % 50}}`;
        await count([`${key}:a`, `${key}:b`], []).then(
          () => {
            answered += 1;
          },
          (error: Error) => {
            if (!isRedisUnavailable(error)) unknown.add(`${error.name}: ${error.message}`);
            return pause();
          },
        );
      }
    };
    const callers = Promise.all(Array.from({ length: CALLERS }, (_, id) => caller(id)));

    const pairs = cluster.nodes.map((primary, at) => [primary, cluster.replicas[at] ?? primary]);
    for (let change = 0; change < CHANGES; change += 1) {
      const pair = pairs[change % pairs.length] ?? [];
      const [, replica] = pair;
      if (replica) await promote(replica);
      const before = answered;
      await eventually(
        () => answered,
        (count) => count >= before + 100,
      );
      pair.reverse();
    }
    const [primary, replica] = pairs[0] ?? [];
    await primary?.kill();
    if (replica) await untilPrimary(replica);
    changing = false;
    await callers;

    expect([...unknown].slice(0, 5)).toEqual([]);
  });
});

/** The nodes need time of the machine, too. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

const COUNT_TWICE = `
redis.call('INCR', KEYS[1])
return redis.call('INCR', KEYS[2])`;
