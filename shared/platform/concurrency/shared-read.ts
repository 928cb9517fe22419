import { fail } from '../errors.ts';
import { DeadlineExceeded, inTime } from './deadline.ts';

/**
 * Returns a result that is at most `maxAgeMs` old.
 * @throws the error of the read, or service_unavailable if it takes too long, to every caller within that age
 */
export type SharedRead<T> = (maxAgeMs: number) => Promise<T>;

/**
 * Shares one read among all callers: calls within the maximum age get the same result, and no second read starts while
 * one is running, however long it takes. A caller that waits longer than `waitMs` gets an error.
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
