import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import { connectRedis, isRedisUnavailable, type Redis } from '../../shared/platform/redis/redis.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnRedisSentinels, startOwnRedisSentinels } from '../support/own-redis-sentinels.ts';

const ROLES = ['commands', 'queue', 'worker'] as const;

/** Three sentinels watch a primary with two replicas. Each of our connections must find the new primary. */
describe('Redis Sentinel connections', () => {
  let sentinels: OwnRedisSentinels;
  let connections: Redis[];

  beforeAll(async () => {
    sentinels = await startOwnRedisSentinels();
    const { REDIS_URL, REDIS_SENTINEL_NAME } = sentinels.env;
    const address = { redisUrl: REDIS_URL, redisSentinelName: REDIS_SENTINEL_NAME };
    const log = createLogger({ level: 'silent', name: 'test' });
    connections = ROLES.map((role) => connectRedis(address, role, log));
  });

  afterAll(async () => {
    for (const connection of connections) connection.disconnect();
    await sentinels.remove();
  });

  it('write to the new primary after the old one is killed', async () => {
    const unknown = new Set<string>();
    const written = (key: string) =>
      Promise.all(connections.map((connection) => connection.set(key, 'here'))).then(
        () => true,
        (error: Error) => {
          if (!isRedisUnavailable(error)) unknown.add(`${error.name}: ${error.message}`);
          return false;
        },
      );
    await eventually(() => written('before'));
    const before = await sentinels.primary();

    await sentinels.failOver();
    await eventually(() => written('after'), Boolean);

    const primary = await sentinels.primary();
    expect(primary.url).not.toBe(before.url);
    expect(await primary.command('get', 'after')).toBe('here');
    // Nobody hears anything but that Redis is away.
    expect([...unknown]).toEqual([]);
  });
});
