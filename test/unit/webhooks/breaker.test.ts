import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BreakerState,
  breakerPhase,
  closedBreaker,
  DEFAULT_BREAKER,
  recordOutcome,
  shouldDisable,
} from '../../../shared/delivery/webhooks/endpoint-breaker.ts';
import { VARIABLES } from '../../../shared/platform/config/config.ts';

const start = new Date('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

/** The state after the outcomes of `pattern` (`.` success, `x` failure), one a second. */
function played(pattern: string, from: BreakerState = closedBreaker(start)): BreakerState {
  return [...pattern].reduce((state, mark, i) => recordOutcome(state, mark === '.', at(i)), from);
}

describe('a closed breaker', () => {
  it.each([
    ['nine failures', 'xxxxxxxxx', 'closed'],
    ['ten failures', 'xxxxxxxxxx', 'open'],
    ['seven failures in ten', '...xxxxxxx', 'open'],
    ['six failures in ten', '....xxxxxx', 'closed'],
    ['a success as the tenth', 'xxxxxxxxx.', 'closed'],
    ['the next failure after that', 'xxxxxxxxx.x', 'open'],
  ])('after %s is %s', (_what, pattern, phase) => {
    expect(breakerPhase(played(pattern), at(pattern.length - 1))).toBe(phase);
  });

  it('forgets what is older than its window', () => {
    const nine = played('xxxxxxxxx');
    expect(breakerPhase(recordOutcome(nine, false, at(299)), at(299))).toBe('open');
    expect(recordOutcome(nine, false, at(300))).toMatchObject({
      attempts: 1,
      failures: 1,
      openUntil: null,
    });
  });
});

describe('an open breaker', () => {
  const open = played('xxxxxxxxxx');

  it('lets nothing through for 30 seconds, then lets a probe through', () => {
    expect(open.openUntil).toEqual(at(9 + 30));
    expect(breakerPhase(open, at(38))).toBe('open');
    expect(breakerPhase(open, at(39))).toBe('half_open');
  });

  it('is not lengthened by failures that were under way when it opened', () => {
    expect(recordOutcome(open, false, at(12))).toEqual(open);
  });

  it('doubles with every failed probe, up to ten minutes', () => {
    let state = open;
    const lengths: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const probedAt = state.openUntil ?? start;
      state = recordOutcome(state, false, probedAt);
      lengths.push(((state.openUntil?.getTime() ?? 0) - probedAt.getTime()) / 1_000);
    }
    expect(lengths).toEqual([60, 120, 240, 480, 600, 600]);
  });

  it.each([
    ['while open', 12],
    ['as a probe', 60],
  ])('is closed by any success %s', (_when, seconds) => {
    expect(recordOutcome(open, true, at(seconds))).toEqual(closedBreaker(at(seconds)));
  });

  it('starts again at 30 seconds once it has closed', () => {
    const again = played('xxxxxxxxxx', recordOutcome(open, true, start));
    expect(again).toMatchObject({ trips: 1, openUntil: at(9 + 30) });
  });
});

it('holds its laws over any history', () => {
  const step = fc.record({ ok: fc.boolean(), waitMs: fc.integer({ min: 0, max: 400_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let state = closedBreaker(start);
      let now = start;
      for (const { ok, waitMs } of steps) {
        now = new Date(now.getTime() + waitMs);
        const before = structuredClone(state);
        const next = recordOutcome(state, ok, now);
        expect(state).toEqual(before);
        if (ok) expect(next.openUntil).toBeNull();
        expect(next.failures).toBeLessThanOrEqual(next.attempts);
        const openMs = (next.openUntil?.getTime() ?? now.getTime()) - now.getTime();
        expect(openMs).toBeLessThanOrEqual(DEFAULT_BREAKER.maxOpenMs);
        expect(next.trips > 0).toBe(next.openUntil !== null);
        state = next;
      }
    }),
  );
});

describe('disabling', () => {
  const DAY = 24 * 3_600;

  const disableAfterMs = VARIABLES.webhookDisableAfterMs.fallback;
  const judged = (health: Omit<Parameters<typeof shouldDisable>[0], 'disableAfterMs'>) =>
    shouldDisable({ ...health, disableAfterMs });

  it('is immediate for a receiver that is gone', () => {
    expect(judged({ gone: true, failingSince: null, now: start })).toBe('gone');
  });

  it('follows five days of nothing but failure', () => {
    const health = { gone: false, failingSince: start };
    expect(judged({ ...health, now: at(5 * DAY - 1) })).toBeNull();
    expect(judged({ ...health, now: at(5 * DAY) })).toBe('failing');
  });

  it('does not follow when the last attempt succeeded', () => {
    expect(judged({ gone: false, failingSince: null, now: at(9 * DAY) })).toBeNull();
  });
});
