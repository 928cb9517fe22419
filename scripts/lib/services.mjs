import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * Starts Postgres and Redis side by side and leaves their orderly end with `shutdown` (Redis first,
 * then Postgres), also for one whose start is still under way when the end comes.
 */
export async function startServices(shutdown, options) {
  const postgres = startPostgres(options);
  const redis = startRedis(options);
  for (const starting of [postgres, redis]) {
    shutdown.add(async () => {
      const service = await starting.catch(() => undefined);
      await service?.stop();
    });
  }
  // Both have come to an end before an error is told: nothing is left half started.
  await Promise.allSettled([postgres, redis]);
  return { postgres: await postgres, redis: await redis };
}
