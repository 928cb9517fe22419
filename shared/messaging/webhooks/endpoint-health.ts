import { addMs, MINUTE, SECOND } from '../../platform/clock.ts';
import type { AttemptRecord } from './attempt.ts';

/**
 * The settings of an endpoint's circuit breaker. The breaker opens when too large a share of the attempts in a window
 * fail. Any success closes it, and a failed probe opens it for twice as long as before.
 */
const BREAKER = {
  windowMs: 5 * MINUTE,
  minAttempts: 10,
  failureShare: 0.7,
  openMs: 30 * SECOND,
  maxOpenMs: 10 * MINUTE,
};

/** Responses slower than this do not raise the concurrency. */
const QUICK_MS = 1_000;

/** The counters of a breaker, which is closed, open (until `openUntil`), or then half-open until its probe ends. */
export interface BreakerCount {
  /** ISO 8601. */
  windowStartedAt: string;
  attempts: number;
  failures: number;
  /** How often the breaker has opened since the last success. */
  trips: number;
}

/** The health of an endpoint. */
export interface EndpointHealth {
  breaker: BreakerCount | null;
  openUntil: Date | null;
  /** The first failure since the last success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  /** The maximum number of concurrent requests, rounded down; grows while the endpoint responds quickly. */
  concurrency: number;
}

/** Returns only the health fields of a larger object. */
export function healthOf(of: EndpointHealth): EndpointHealth {
  const { breaker, openUntil, failingSince, lastSuccessAt, lastFailureAt, concurrency } = of;
  return { breaker, openUntil, failingSince, lastSuccessAt, lastFailureAt, concurrency };
}

/** Returns whether the endpoint's last attempt failed or its breaker is not closed. */
export function isFailing({ failingSince, openUntil }: EndpointHealth): boolean {
  return failingSince !== null || openUntil !== null;
}

/**
 * Returns the health of an endpoint after an attempt.
 * @param saturated whether the endpoint had as many open requests as allowed, so that more could be sent at a time
 * @param cap the maximum number of open requests to one endpoint
 */
export function afterAttempt(
  of: EndpointHealth,
  attempt: Pick<AttemptRecord, 'outcome' | 'status' | 'startedAt' | 'endedAt' | 'elapsedMs'>,
  { saturated, cap }: { saturated: boolean; cap: number },
): EndpointHealth {
  const health = healthOf(of);
  const { endedAt: now, startedAt, status, outcome } = attempt;
  const { lastFailureAt, concurrency } = health;
  if (outcome === 'delivered') {
    const grows = saturated && attempt.elapsedMs < QUICK_MS;
    return {
      ...health,
      ...(health.openUntil === null
        ? { breaker: count(health.breaker, now, false) }
        : { breaker: null, openUntil: null }),
      failingSince: null,
      lastSuccessAt: now,
      concurrency: grows ? Math.min(concurrency + 1 / concurrency, cap) : concurrency,
    };
  }
  const overloaded = status === null || status === 429 || status >= 500;
  // Attempts that were already in progress at the last failure do not halve the concurrency again.
  const halves = overloaded && (lastFailureAt === null || startedAt >= lastFailureAt);
  return {
    ...health,
    ...afterFailure(count(health.breaker, now, true), health.openUntil, now),
    failingSince: health.failingSince ?? now,
    lastFailureAt: now,
    concurrency: halves ? Math.max(1, concurrency / 2) : concurrency,
  };
}

function count(breaker: BreakerCount | null, now: Date, failed: boolean): BreakerCount {
  const started = breaker && new Date(breaker.windowStartedAt);
  const goes = breaker && started && addMs(started, BREAKER.windowMs) > now ? breaker : undefined;
  return {
    windowStartedAt: goes?.windowStartedAt ?? now.toISOString(),
    attempts: (goes?.attempts ?? 0) + 1,
    failures: (goes?.failures ?? 0) + Number(failed),
    trips: breaker?.trips ?? 0,
  };
}

function afterFailure(breaker: BreakerCount, openUntil: Date | null, now: Date) {
  const { attempts, failures, trips } = breaker;
  const { minAttempts, failureShare, openMs, maxOpenMs } = BREAKER;
  const trip =
    openUntil === null
      ? attempts >= minAttempts && failures >= attempts * failureShare
      : // An attempt that was already in progress when the breaker opened says nothing new.
        openUntil <= now;
  if (!trip) return { breaker, openUntil };
  return {
    breaker: { ...breaker, trips: trips + 1 },
    openUntil: addMs(now, Math.min(2 ** trips * openMs, maxOpenMs)),
  };
}

/** Returns why to disable an endpoint after an attempt: it returned 410, or has only failed for `disableAfterMs`. */
export function reasonToDisable(
  { failingSince }: EndpointHealth,
  { outcome, endedAt }: Pick<AttemptRecord, 'outcome' | 'endedAt'>,
  disableAfterMs: number,
): 'gone' | 'failing' | undefined {
  if (outcome === 'gone') return 'gone';
  if (outcome === 'delivered' || failingSince === null) return undefined;
  return failingSince <= addMs(endedAt, -disableAfterMs) ? 'failing' : undefined;
}
