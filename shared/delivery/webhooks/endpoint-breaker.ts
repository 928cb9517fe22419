import { MINUTE, SECOND } from '../../platform/clock.ts';

/**
 * The circuit breaker of one endpoint; stored with it, so that all workers share it. That, a share of failures in a
 * window and openings that get longer are why it is not the one of `platform/concurrency/`.
 */
export interface BreakerState {
  /** Start of the window that `attempts` and `failures` count. */
  windowStartedAt: Date;
  attempts: number;
  failures: number;
  /** Until then nothing is sent; after it, one probe at a time; null while closed. */
  openUntil: Date | null;
  /** Times it opened since it last closed. */
  trips: number;
}

export interface BreakerRules {
  windowMs: number;
  minAttempts: number;
  /** Opens at this share of failures, 0 to 1. */
  failureShare: number;
  /** The first opening; each further one is twice as long. */
  openMs: number;
  maxOpenMs: number;
}

export const DEFAULT_BREAKER: BreakerRules = {
  windowMs: 5 * MINUTE,
  minAttempts: 10,
  failureShare: 0.7,
  openMs: 30 * SECOND,
  maxOpenMs: 10 * MINUTE,
};

export type BreakerPhase = 'closed' | 'open' | 'half_open';

/** A breaker that has seen nothing. */
export function closedBreaker(now: Date): BreakerState {
  return { windowStartedAt: now, attempts: 0, failures: 0, openUntil: null, trips: 0 };
}

export function breakerPhase(state: Pick<BreakerState, 'openUntil'>, now: Date): BreakerPhase {
  if (state.openUntil === null) return 'closed';
  return now < state.openUntil ? 'open' : 'half_open';
}

/** The state after one attempt. Any success closes; a failed probe opens for twice as long as before. */
export function recordOutcome(
  state: BreakerState,
  ok: boolean,
  now: Date,
  rules: BreakerRules = DEFAULT_BREAKER,
): BreakerState {
  const phase = breakerPhase(state, now);
  if (phase !== 'closed') {
    if (ok) return closedBreaker(now);
    // An attempt that was under way when it opened says nothing new.
    return phase === 'open' ? state : trip(state, now, rules);
  }
  const expired = now.getTime() - state.windowStartedAt.getTime() >= rules.windowMs;
  const window = expired ? closedBreaker(now) : state;
  const counted: BreakerState = {
    ...window,
    attempts: window.attempts + 1,
    failures: window.failures + (ok ? 0 : 1),
  };
  const tripped =
    !ok &&
    counted.attempts >= rules.minAttempts &&
    counted.failures / counted.attempts >= rules.failureShare;
  return tripped ? trip(counted, now, rules) : counted;
}

function trip(state: BreakerState, now: Date, rules: BreakerRules): BreakerState {
  const openMs = Math.min(rules.openMs * 2 ** state.trips, rules.maxOpenMs);
  return { ...state, openUntil: new Date(now.getTime() + openMs), trips: state.trips + 1 };
}

export interface FailureHistory {
  /** The last attempt asked for it, by 410. */
  gone: boolean;
  /** The first failure since the last success or registration; null when the last attempt succeeded. */
  failingSince: Date | null;
  now: Date;
  /** Nothing but failure for this long disables it. */
  disableAfterMs: number;
}

/** Whether an endpoint is to be disabled after a failed attempt, and why. */
export function shouldDisable(health: FailureHistory): 'gone' | 'failing' | null {
  if (health.gone) return 'gone';
  if (health.failingSince === null) return null;
  const failingMs = health.now.getTime() - health.failingSince.getTime();
  return failingMs >= health.disableAfterMs ? 'failing' : null;
}
