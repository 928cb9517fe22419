import type { Clock } from '../../shared/platform/clock.ts';

/** A clock that tests control. */
export interface TestClock extends Clock {
  set(at: Date | string): void;
  advance(ms: number): void;
  /** Returns to the machine's time. */
  reset(): void;
}

/** Creates a clock that shows the machine's time plus its offset; setting it stops it. */
export function createTestClock(): TestClock {
  let fixed: Date | undefined;
  let offset = 0;
  return {
    now: () => new Date((fixed?.getTime() ?? Date.now()) + offset),
    set(at) {
      fixed = new Date(at);
      offset = 0;
    },
    advance(ms) {
      offset += ms;
    },
    reset() {
      fixed = undefined;
      offset = 0;
    },
  };
}
