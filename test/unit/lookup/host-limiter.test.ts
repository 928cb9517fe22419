import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createHostLimiter, isHostBlocked } from '../../../shared/market/lookup/host-limiter.ts';
import type { Redis } from '../../../shared/platform/redis/redis.ts';
import { createTestClock } from '../../support/clock.ts';

describe('the limiter of queries to registries', () => {
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

  it('lets one query at a time through after a while, and all once it was answered', async () => {
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

  it('remembers a limited number of servers, however many outside answers name', async () => {
    const limiter = newLimiter();
    for (let failures = 0; failures < 2; failures += 1) limiter.record('first.test', false);
    for (let at = 0; at < 5_000; at += 1) limiter.record(`host-${at}.test`, false);
    limiter.record('first.test', false);
    expect(await ask(limiter, 'first.test')).toBe('asked');
  });
});
