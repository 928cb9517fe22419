import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterAttempt,
  type EndpointHealth,
  isFailing,
  reasonToDisable,
} from '../../../shared/messaging/webhooks/endpoint-health.ts';
import { addMs, DAY, MINUTE, SECOND } from '../../../shared/platform/clock.ts';

const START = new Date('2026-03-01T12:00:00Z');
const CAP = 64;
const NEW: EndpointHealth = {
  breaker: null,
  openUntil: null,
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  concurrency: 4,
};

interface Answer {
  /** 0 means no response. */
  status?: number;
  /** After {@link START}. */
  at: Date;
  elapsedMs?: number;
  saturated?: boolean;
}

/** The health of an endpoint after this response. */
function answered(
  health: EndpointHealth,
  { status = 200, at, elapsedMs = 10, saturated = false }: Answer,
): EndpointHealth {
  const outcome = status === 200 ? 'delivered' : status === 0 ? 'timeout' : 'http_status';
  const startedAt = addMs(at, -elapsedMs);
  const attempt = {
    outcome,
    status: status === 0 ? null : status,
    startedAt,
    endedAt: at,
    elapsedMs,
  } as const;
  return afterAttempt(health, attempt, { saturated, cap: CAP });
}

/** Answers `.` with success and `x` with failure, one per second, ignoring the breaker. */
function play(pattern: string, health = NEW, from = START): { health: EndpointHealth; now: Date } {
  let now = from;
  let played = health;
  for (const mark of pattern) {
    played = answered(played, { status: mark === '.' ? 200 : 500, at: now });
    now = addMs(now, SECOND);
  }
  return { health: played, now };
}

const answers = fc.array(
  fc.record({
    status: fc.constantFrom(200, 200, 404, 429, 500, 503, 0),
    gapMs: fc.integer({ min: 0, max: 15 * MINUTE }),
    elapsedMs: fc.integer({ min: 0, max: 5 * SECOND }),
    saturated: fc.boolean(),
  }),
  { maxLength: 60 },
);
type Answers = typeof answers extends fc.Arbitrary<infer T> ? T : never;

/** Applies the responses in order, with the health before and after each. */
function history(given: Answers, health = NEW) {
  let at = START;
  let now = health;
  return given.map(({ gapMs, ...answer }) => {
    at = addMs(at, gapMs);
    const before = now;
    now = answered(before, { ...answer, at });
    return { ...answer, at, before, now };
  });
}

describe('the circuit breaker', () => {
  it.each([
    ['nine failures', 'xxxxxxxxx', 'closed'],
    ['ten failures', 'xxxxxxxxxx', 'open'],
    ['seven failures in ten', '...xxxxxxx', 'open'],
    ['six failures in ten', '....xxxxxx', 'closed'],
    ['a success as the tenth', 'xxxxxxxxx.', 'closed'],
    ['the next failure after that', 'xxxxxxxxx.x', 'open'],
    ['a success while it is open', 'xxxxxxxxxx.', 'closed'],
  ])('after %s is %s', (_what, pattern, state) => {
    expect(play(pattern).health.openUntil === null ? 'closed' : 'open').toBe(state);
  });

  it('forgets attempts older than five minutes', () => {
    const { health, now } = play('xxxxxxxxx');
    const later = answered(health, { status: 500, at: addMs(now, 5 * MINUTE) });
    expect(later).toMatchObject({ openUntil: null, breaker: { attempts: 1, failures: 1 } });
  });

  it('opens for 30 seconds, then twice as long after each failed probe', () => {
    let { health, now } = play('xxxxxxxxxx');
    const lastAt = addMs(now, -SECOND);
    expect(health.openUntil).toEqual(addMs(lastAt, 30 * SECOND));
    expect(play('xx', health, now).health.openUntil).toEqual(health.openUntil);
    const lengths: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      now = health.openUntil as Date;
      health = answered(health, { status: 500, at: now });
      lengths.push((health.openUntil as Date).getTime() - now.getTime());
    }
    expect(lengths).toEqual([60, 120, 240, 480, 600, 600].map((each) => each * SECOND));
    health = answered(health, { at: health.openUntil as Date });
    expect(health).toMatchObject({ openUntil: null, breaker: null });
    // And starts over.
    ({ health, now } = play('xxxxxxxxxx', health, addMs(now, DAY)));
    expect(health.openUntil).toEqual(addMs(now, 29 * SECOND));
  });

  it('closes after any success and never after a failure', () => {
    fc.assert(
      fc.property(answers, (given) => {
        for (const { status, before, now } of history(given)) {
          if (status === 200) expect(now).toMatchObject({ openUntil: null, failingSince: null });
          else if (before.openUntil !== null) expect(now.openUntil).not.toBeNull();
          expect(isFailing(now)).toBe(status !== 200);
        }
      }),
    );
  });

  it('ignores failures while open and reopens for at most ten minutes', () => {
    fc.assert(
      fc.property(answers, (given) => {
        for (const { status, at, before, now } of history(given)) {
          if (status === 200 || now.openUntil === null) continue;
          if (before.openUntil !== null && before.openUntil > at) {
            expect(now.openUntil).toEqual(before.openUntil);
            continue;
          }
          const lastsMs = now.openUntil.getTime() - at.getTime();
          const trips = now.breaker?.trips ?? 0;
          expect(lastsMs).toBe(Math.min(30 * SECOND * 2 ** (trips - 1), 10 * MINUTE));
          expect(trips).toBe((before.breaker?.trips ?? 0) + 1);
        }
      }),
    );
  });

  it('counts each attempt in its window once, in whatever order they end', () => {
    const mixed = fc.array(fc.boolean(), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(mixed, (failed) => {
        const pattern = failed.map((each) => (each ? 'x' : '.')).join('');
        const { breaker } = play(pattern).health;
        const failures = failed.filter(Boolean).length;
        expect(breaker).toMatchObject({ attempts: failed.length, failures, trips: 0 });
      }),
    );
  });
});

describe('the concurrency of an endpoint', () => {
  const quick = { elapsedMs: 999, saturated: true };

  it('grows by about one after each round of quick successes, up to the limit', () => {
    let health = NEW;
    for (let round = 0; round < 20; round += 1) {
      const before = health.concurrency;
      for (let sent = Math.floor(before); sent > 0; sent -= 1) {
        health = answered(health, { ...quick, at: START });
      }
      // Each success adds its share of the current concurrency.
      expect(health.concurrency - before).toBeGreaterThan(0.75);
      expect(health.concurrency - before).toBeLessThanOrEqual(1);
    }
    expect(answered({ ...NEW, concurrency: 63.999 }, { ...quick, at: START }).concurrency).toBe(
      CAP,
    );
    expect(answered({ ...NEW, concurrency: CAP }, { ...quick, at: START }).concurrency).toBe(CAP);
  });

  it('stays the same with too little to do or slow responses', () => {
    expect(answered(NEW, { ...quick, saturated: false, at: START }).concurrency).toBe(4);
    expect(answered(NEW, { ...quick, elapsedMs: SECOND, at: START }).concurrency).toBe(4);
  });

  it.each([429, 500, 503, 0])('is halved once after a round that ended with %i', (status) => {
    let health: EndpointHealth = { ...NEW, concurrency: 16 };
    // All of them were pending before the first one failed.
    for (let ended = 0; ended < 16; ended += 1) {
      health = answered(health, { status, at: addMs(START, ended), elapsedMs: 20 });
    }
    expect(health.concurrency).toBe(8);
    health = answered(health, { status, at: addMs(START, SECOND), elapsedMs: 20 });
    expect(health.concurrency).toBe(4);
  });

  it('is not changed by a response about a single event', () => {
    expect(answered(NEW, { status: 404, at: START }).concurrency).toBe(4);
  });

  it('stays between one and the limit', () => {
    const beginning = fc.double({ min: 1, max: CAP, noNaN: true });
    fc.assert(
      fc.property(answers, beginning, (given, concurrency) => {
        for (const { now } of history(given, { ...NEW, concurrency })) {
          expect(now.concurrency).toBeGreaterThanOrEqual(1);
          expect(now.concurrency).toBeLessThanOrEqual(CAP);
        }
      }),
    );
  });
});

describe("the start of an endpoint's failures", () => {
  it('is the first failure after the last success', () => {
    fc.assert(
      fc.property(answers, (given) => {
        const all = history(given);
        for (const [index, { now }] of all.entries()) {
          const past = all.slice(0, index + 1);
          const lastGood = past.findLastIndex(({ status }) => status === 200);
          expect(now.failingSince).toEqual(past[lastGood + 1]?.at ?? null);
          expect(now.lastSuccessAt).toEqual(past[lastGood]?.at ?? null);
          expect(now.lastFailureAt).toEqual(
            past.findLast(({ status }) => status !== 200)?.at ?? null,
          );
        }
      }),
    );
  });
});

describe('disabling an endpoint', () => {
  const LIMIT = 5 * DAY;
  const ended = (outcome: 'delivered' | 'gone' | 'http_status', endedAt: Date) =>
    ({ outcome, endedAt }) as const;

  it('happens at once when it returns 410', () => {
    expect(reasonToDisable(NEW, ended('gone', START), LIMIT)).toBe('gone');
  });

  it('happens after days of nothing but failures and no sooner', () => {
    const failing = { ...NEW, failingSince: START };
    const at = (ms: number) => ended('http_status', addMs(START, ms));
    expect(reasonToDisable(failing, at(LIMIT - 1), LIMIT)).toBeUndefined();
    expect(reasonToDisable(failing, at(LIMIT), LIMIT)).toBe('failing');
  });

  it('never follows a success, however long it failed before', () => {
    const late = addMs(START, 9 * DAY);
    const { failingSince } = answered({ ...NEW, failingSince: START }, { at: late });
    expect(
      reasonToDisable({ ...NEW, failingSince }, ended('delivered', late), LIMIT),
    ).toBeUndefined();
  });
});
