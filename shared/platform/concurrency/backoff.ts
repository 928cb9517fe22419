import { randomFraction } from '../ids.ts';

/**
 * How long to wait before another attempt, in milliseconds: twice as long after each failure, up to `maxMs`, and
 * half to all of that by chance, so that those who failed together do not come back together.
 * @param failures in a row so far, from 1
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
  const most = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return most * (0.5 + randomFraction() / 2);
}
