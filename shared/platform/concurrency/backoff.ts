import { randomFraction } from '../ids.ts';

/**
 * How long to wait before another attempt, in milliseconds: doubles with each failure, up to `maxMs`, with a jitter of
 * half to all of that, so that callers that failed together do not retry together.
 * @param failures in a row so far, from 1
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
  const most = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return most * (0.5 + randomFraction() / 2);
}
