import type { Clock } from '../clock.ts';
import type { Redis } from './redis.ts';

/**
 * The maximum clock difference between Postgres and Redis, in seconds. Postgres's clock validates timestamps;
 * Redis's expires nonces five minutes after they become invalid. Up to half of that, no request can be replayed.
 */
export const MAX_CLOCK_DIFFERENCE_SECONDS = 120;

/** Returns whether Redis's clock and `clock` are close enough. */
export async function agreesWithRedis(clock: Clock, redis: Redis): Promise<boolean> {
  const [seconds] = await redis.time();
  return Math.abs(Number(seconds) - clock.now().getTime() / 1_000) <= MAX_CLOCK_DIFFERENCE_SECONDS;
}
