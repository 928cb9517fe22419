import { fail } from '../errors.ts';
import { DeadlineExceeded, inTime } from './deadline.ts';

/**
 * What a read found, at most `maxAgeMs` ago.
 * @throws whatever the read threw, or service_unavailable when it takes too long, to everybody who asks within
 *   that age
 */
export type SharedRead<T> = (maxAgeMs: number) => Promise<T>;

/**
 * Shares one read among all callers: calls within an age get the same answer, and no second read begins while one is
 * running, however long it takes. A caller that waits longer than `waitMs` gets an error.
 */
export function createSharedRead<T>(read: () => Promise<T>, waitMs: number): SharedRead<T> {
  let told: Promise<T> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let underWay = false;

  const begin = (): Promise<T> => {
    askedAt = performance.now();
    underWay = true;
    const reading = read().finally(() => {
      underWay = false;
    });
    return inTime(reading, waitMs).catch((error: unknown) => {
      throw error instanceof DeadlineExceeded ? tooSlow() : error;
    });
  };
  return (maxAgeMs) => {
    if (!told || (!underWay && performance.now() - askedAt >= maxAgeMs)) told = begin();
    return told;
  };
}

function tooSlow() {
  return fail('service_unavailable', { message: 'This is taking too long; try again later.' });
}
