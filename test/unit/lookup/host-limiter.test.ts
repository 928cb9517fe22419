import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createHostLimiter, isHostBlocked } from '../../../shared/market/lookup/host-limiter.ts';
import type { Redis } from '../../../shared/platform/redis/redis.ts';
import { createTestClock } from '../../support/clock.ts';

describe('the registry query limiter', () => {
  const clock = createTestClock();
  const newLimiter = () =>
    createHostLimiter({
      redis: { pttl: async () => -2 } as unknown as Redis,
      clock,
      prefix: 'test',
      log: pino({ level: 'silent' }),
      perServer: 1,
    });
  const ask = (limiter: ReturnType<typeof newLimiter>, host: string) =>
    limiter.run(host, new AbortController().signal, async () => 'asked');

  it('blocks a server that failed three times in a row', async () => {
    const limiter = newLimiter();
    for (let failures = 0; failures < 3; failures += 1) limiter.record('down.test', false);
    expect(isHostBlocked(await ask(limiter, 'down.test'))).toBe(true);
    expect(await ask(limiter, 'up.test')).toBe('asked');
  });

  it('allows one query at a time after a while, and all once one succeeds', async () => {
    const limiter = newLimiter();
    for (let failures = 0; failures < 3; failures += 1) limiter.record('down.test', false);
    clock.advance(10_000);
    expect(await ask(limiter, 'down.test')).toBe('asked');
    expect(await ask(limiter, 'down.test')).toMatchObject({ blocked: 'failing' });
    limiter.record('down.test', false);
    clock.advance(9_000);
    expect(await ask(limiter, 'down.test')).toMatchObject({ blocked: 'failing' });
    clock.advance(1_000);
    expect(await ask(limiter, 'down.test')).toBe('asked');
    limiter.record('down.test', true);
    expect([await ask(limiter, 'down.test'), await ask(limiter, 'down.test')]).toEqual([
      'asked',
      'asked',
    ]);
  });

  it('remembers a limited number of servers', async () => {
    const limiter = newLimiter();
    for (let failures = 0; failures < 2; failures += 1) limiter.record('first.test', false);
    for (let at = 0; at < 5_000; at += 1) limiter.record(`host-${at}.test`, false);
    limiter.record('first.test', false);
    expect(await ask(limiter, 'first.test')).toBe('asked');
  });
});
