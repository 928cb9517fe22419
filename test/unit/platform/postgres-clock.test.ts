import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { HOUR, SECOND } from '../../../shared/platform/clock.ts';
import {
  createPostgresClock,
  type PostgresClock,
} from '../../../shared/platform/database/postgres-clock.ts';
import type { Logger } from '../../../shared/platform/observability/logger.ts';

describe('the Postgres clock', () => {
  let clock: PostgresClock;
  let said: string[];
  afterEach(() => {
    clock.stop();
    jest.restoreAllMocks();
  });

  const logger = () => {
    said = [];
    return {
      warn: (_facts: object, words: string) => void said.push(words),
      info: (words: string) => void said.push(words),
    } as unknown as Logger;
  };
  const setMachine = (aheadMs: number) => {
    const { timeOrigin } = performance;
    jest.spyOn(Date, 'now').mockImplementation(() => timeOrigin + performance.now() + aheadMs);
  };
  const truth = () => performance.timeOrigin + performance.now();
  const offMs = () => Math.abs(clock.now().getTime() - truth());

  it('overrides a wrong machine clock, and logs when it differs and when it is right', async () => {
    setMachine(-2 * HOUR);
    clock = createPostgresClock(async () => truth(), logger());
    await clock.follow();
    await clock.follow();
    expect(offMs()).toBeLessThan(SECOND);
    expect(said).toEqual(['clock: the machine has another time']);
    setMachine(2 * HOUR);
    expect(offMs()).toBeLessThan(SECOND);
    setMachine(0);
    await clock.follow();
    expect(said.at(-1)).toBe('clock: the machine has the time again');
    expect(said).toHaveLength(2);
  });

  it("keeps going without Postgres, and starts with the machine's clock", async () => {
    let away = true;
    setMachine(HOUR);
    clock = createPostgresClock(async () => {
      if (away) throw new Error('away');
      return truth();
    }, logger());
    await clock.follow();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(SECOND);
    away = false;
    await clock.follow();
    away = true;
    await clock.follow();
    setMachine(-HOUR);
    expect(offMs()).toBeLessThan(SECOND);
  });

  it('jumps only for differences that the measurement can resolve', async () => {
    let ahead = 0;
    clock = createPostgresClock(async () => truth() + ahead, logger());
    await clock.follow();
    ahead = 60;
    await clock.follow();
    expect(clock.now().getTime() - truth()).toBeLessThan(40);
    ahead = 5 * SECOND;
    await clock.follow();
    expect(clock.now().getTime() - truth()).toBeGreaterThan(4 * SECOND);
  });
});
