import { expect, it } from '@jest/globals';
import { createCircuitBreaker } from '../../../shared/platform/concurrency/circuit-breaker.ts';
import { createTestClock } from '../../support/clock.ts';

const OPEN_MS = 30_000;

it('the circuit breaker opens after repeated failures, probes later, and closes on success', () => {
  const clock = createTestClock();
  clock.set('2026-01-01T00:00:00Z');
  let opened = 0;
  const breaker = createCircuitBreaker(clock, {
    failures: 2,
    openMs: OPEN_MS,
    onOpen: () => {
      opened += 1;
    },
  });
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  expect(breaker.allows()).toBe(true);

  breaker.failed();
  expect(breaker.allows()).toBe(false);
  expect(breaker.openForMs()).toBe(OPEN_MS);
  clock.advance(OPEN_MS);
  expect(breaker.openForMs()).toBe(0);
  expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
  breaker.failed();
  clock.advance(OPEN_MS - 1);
  expect(breaker.allows()).toBe(false);
  clock.advance(1);
  expect(breaker.allows()).toBe(true);
  expect(opened).toBe(1);

  breaker.succeeded();
  expect([breaker.allows(), breaker.allows()]).toEqual([true, true]);
});
