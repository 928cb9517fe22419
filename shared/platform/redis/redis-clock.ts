import type { Clock } from '../clock.ts';
import type { Redis } from './redis.ts';

/**
 * How far the clocks of Postgres and of Redis may be apart, in seconds. Timestamps of requests are judged by one,
 * and their nonces forgotten by the other, five minutes after they lose their validity: with less than half of that
 * between the clocks, no captured request passes twice.
 */
export const MAX_CLOCK_DIFFERENCE_SECONDS = 120;

/** Whether it is about the same time in Redis as by `clock`. */
export async function agreesWithRedis(clock: Clock, redis: Redis): Promise<boolean> {
  const [seconds] = await redis.time();
  return Math.abs(Number(seconds) - clock.now().getTime() / 1_000) <= MAX_CLOCK_DIFFERENCE_SECONDS;
}
