import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextAttemptDelayMs } from '../../../shared/messaging/webhooks/delivery-backoff.ts';
import { VARIABLES } from '../../../shared/platform/config/config.ts';

const now = new Date('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const schedule = VARIABLES.webhookScheduleMs.fallback;

describe('the retry schedule', () => {
  it('waits for 11 growing delays from 5 s to 24 h, then gives up', () => {
    const delays = Array.from({ length: 13 }, (_, i) =>
      nextAttemptDelayMs({ attempt: i + 1, now, random: 0.5, schedule }),
    );
    const seconds = delays.map((ms) => (ms === null ? null : ms / 1_000));
    expect(seconds).toEqual([
      ...[5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
      null,
      null,
    ]);
  });

  it('lasts about three days', () => {
    const total = schedule.reduce((sum, ms) => sum + ms, 0);
    expect(total / HOUR).toBeCloseTo(75.7, 1);
  });

  it('can be replaced', () => {
    const other = { now, random: 0.5, schedule: [1_000, 2_000] };
    const delay = (attempt: number) => nextAttemptDelayMs({ attempt, ...other });
    expect([delay(1), delay(2), delay(3)]).toEqual([1_000, 2_000, null]);
  });

  it('stays within its 20 percent jitter and uses all of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: schedule.length }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const base = schedule[attempt - 1] ?? Number.NaN;
          const delay = nextAttemptDelayMs({ attempt, now, random, schedule }) ?? Number.NaN;
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(base * 0.8);
          expect(delay).toBeLessThanOrEqual(base * 1.2);
        },
      ),
    );
    expect(nextAttemptDelayMs({ attempt: 1, now, random: 0, schedule })).toBe(4_000);
    expect(nextAttemptDelayMs({ attempt: 1, now, random: 0.999_999, schedule })).toBe(6_000);
  });
});

describe('Retry-After of a webhook receiver', () => {
  const delayFor = (retryAfter: string | undefined, status: number, attempt = 1) =>
    nextAttemptDelayMs({ attempt, status, retryAfter, now, random: 0.5, schedule });

  it.each([429, 503])('lengthens the delay after %i', (status) => {
    expect(delayFor('90', status)).toBe(90_000);
    expect(delayFor('Sun, 01 Mar 2026 12:10:00 GMT', status)).toBe(10 * MINUTE);
  });

  it.each([200, 302, 400, 410, 500, 502, 504])('is ignored after %i', (status) => {
    expect(delayFor('90', status)).toBe(5_000);
  });

  it('never shortens the delay or extends it beyond an hour', () => {
    expect(delayFor('1', 429)).toBe(5_000);
    expect(delayFor('0', 429)).toBe(5_000);
    expect(delayFor('86400', 429)).toBe(HOUR);
    expect(delayFor('9'.repeat(400), 429)).toBe(HOUR);
    expect(delayFor('Sun, 01 Mar 2099 12:00:00 GMT', 429)).toBe(HOUR);
    expect(delayFor('90', 429, 6)).toBe(2 * HOUR);
  });

  it('does not revive an exhausted delivery', () => {
    expect(delayFor('90', 429, 12)).toBeNull();
  });

  it('is limited for any header text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const delay = delayFor(text, 503);
        expect(delay).toBeGreaterThanOrEqual(5_000);
        expect(delay).toBeLessThanOrEqual(HOUR);
      }),
    );
  });
});
