import { keepService } from './keep-service.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';

/**
 * Starts Postgres and Redis in parallel and adds their stop to `shutdown` (Redis first, then Postgres), even if one is
 * still starting by then. With `restart`, one that dies is started again on the same port with the same data.
 */
export async function startServices(shutdown, { restart = false, ...options }) {
  const starting = [
    keepService(shutdown, 'Postgres', () => startPostgres(options), { restart }),
    keepService(shutdown, 'Redis', () => startRedis(options), { restart }),
  ];
  // Waits for both before it throws, so that nothing is left half started.
  await Promise.allSettled(starting);
  const [postgres, redis] = await Promise.all(starting);
  return { postgres, redis };
}
