import { randomFraction } from '../ids.ts';

/**
 * Returns the wait before the next attempt, in milliseconds. It doubles with each failure up to `maxMs`; jitter takes
 * off up to half of it, so that callers that failed together do not retry together.
 * @param failures the number of consecutive failures, from 1
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
  const most = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return most * (0.5 + randomFraction() / 2);
}
