import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createHostLimiter, isHostBlocked } from '../../../shared/market/lookup/host-limiter.ts';
import type { Redis } from '../../../shared/platform/redis/redis.ts';

describe('the gate to registries', () => {
  const gateNow = () =>
    createHostLimiter({
      redis: { pttl: async () => -2 } as unknown as Redis,
      prefix: 'test',
      log: pino({ level: 'silent' }),
      perServer: 1,
    });
  const ask = (gate: ReturnType<typeof gateNow>, host: string) =>
    gate.pass(host, new AbortController().signal, async () => 'asked');

  it('closes for a server that failed three times in a row', async () => {
    const gate = gateNow();
    for (let failures = 0; failures < 3; failures += 1) gate.note('down.test', false);
    expect(isHostBlocked(await ask(gate, 'down.test'))).toBe(true);
    expect(await ask(gate, 'up.test')).toBe('asked');
  });

  it('remembers so many servers only, however many answers from outside name', async () => {
    const gate = gateNow();
    for (let failures = 0; failures < 2; failures += 1) gate.note('first.test', false);
    for (let at = 0; at < 5_000; at += 1) gate.note(`host-${at}.test`, false);
    gate.note('first.test', false);
    expect(await ask(gate, 'first.test')).toBe('asked');
  });
});
