import type { Redis } from './redis.ts';

/**
 * How far the clocks of this machine and of Redis may be apart, in seconds. Timestamps of requests are judged by one,
 * and their nonces forgotten by the other, five minutes after they lose their validity: with less than half of that
 * between the clocks, no captured request passes twice.
 */
export const MAX_CLOCK_DIFFERENCE_SECONDS = 120;

/** Whether it is about the same time in Redis as on this machine. */
export async function clocksAgree(redis: Redis): Promise<boolean> {
  const [seconds] = await redis.time();
  return Math.abs(Number(seconds) - Date.now() / 1_000) <= MAX_CLOCK_DIFFERENCE_SECONDS;
}
