import { LRUCache } from 'lru-cache';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { type Bulkhead, createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import {
  type CircuitBreaker,
  createCircuitBreaker,
} from '../../platform/concurrency/circuit-breaker.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Redis } from '../../platform/redis/redis.ts';

/**
 * Says that a server must not be asked now: it asked for a cooldown, it failed lately, or too many questions to it
 * are waiting (`saturated`).
 */
export interface HostBlocked {
  blocked: 'cooldown' | 'failing' | 'saturated';
  /** Milliseconds. */
  forMs: number;
}

/**
 * Limits what one server is asked: so many questions at a time, the others in a queue, and none while the server
 * is in a cooldown or fails.
 */
export interface HostLimiter {
  /** Asks when it is our turn; `HostBlocked` when the server must not be asked, or `signal` ended the wait. */
  run<T>(host: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T | HostBlocked>;
  /** Asks a server no more for `ms`, in every process. */
  coolDown(host: string, ms: number): Promise<void>;
  /**
   * Counts answers and failures. After a few failures in a row the server is not asked for a short time, and then by
   * one question at a time until it answers.
   */
  record(host: string, answered: boolean): void;
}

const MAX_QUEUED_PER_HOST = 100;
/** Servers that are remembered at a time; the one longest unused is forgotten first. */
const MAX_HOSTS = 5_000;
const BREAKER = { failures: 3, openMs: 10 * SECOND };
/** Whatever a server asks for. */
export const MAX_COOLDOWN_MS = 60 * MINUTE;

interface HostState {
  places: Bulkhead;
  breaker: CircuitBreaker;
  /** Milliseconds of the clock. */
  cooldownUntil: number;
}

export function isHostBlocked(answer: unknown): answer is HostBlocked {
  return typeof answer === 'object' && answer !== null && 'blocked' in answer;
}

export function createHostLimiter(deps: {
  redis: Redis;
  clock: Clock;
  /** Prefix of the keys in Redis. */
  prefix: string;
  log: Logger;
  /** Questions to one server at a time, per process. */
  perServer: number;
}): HostLimiter {
  const { redis, clock, prefix, log, perServer } = deps;
  const hosts = new LRUCache<string, HostState>({ max: MAX_HOSTS });
  const keyOf = (host: string) => `${prefix}:lookup:rest:${host}`;

  const stateOf = (host: string): HostState => {
    const known = hosts.get(host);
    if (known) return known;
    const state = {
      places: createBulkhead({ inside: perServer, waiting: MAX_QUEUED_PER_HOST }),
      breaker: createCircuitBreaker(clock, BREAKER),
      cooldownUntil: 0,
    };
    hosts.set(host, state);
    return state;
  };
  /** Servers are as many as answers from outside name, so those that nothing is known of are forgotten. */
  const forget = (host: string, state: HostState) => {
    const isUnderWay = !state.places.isIdle();
    const isCoolingDown = state.cooldownUntil > clock.now().getTime();
    if (!isUnderWay && !isCoolingDown && !state.breaker.hasFailed()) hosts.delete(host);
  };
  const blockOf = async (host: string, state: HostState): Promise<HostBlocked | undefined> => {
    const here = state.cooldownUntil - clock.now().getTime();
    if (here > 0) return { blocked: 'cooldown', forMs: here };
    // Another process may have been told to cool down. Without Redis each process learns it by itself.
    const forMs = await redis.pttl(keyOf(host)).catch(() => 0);
    if (forMs > 0) return { blocked: 'cooldown', forMs };
    // Last, because whom the breaker lets through must ask: the others wait for what comes of it.
    const { breaker } = state;
    return breaker.allows() ? undefined : { blocked: 'failing', forMs: breaker.openForMs() };
  };

  return {
    async run(host, signal, ask) {
      const state = stateOf(host);
      try {
        if (signal.aborted || !(await state.places.enter(signal))) {
          return { blocked: 'saturated', forMs: SECOND };
        }
        try {
          return (await blockOf(host, state)) ?? (await ask());
        } finally {
          state.places.leave();
        }
      } finally {
        forget(host, state);
      }
    },
    async coolDown(host, ms) {
      const bounded = Math.max(1, Math.min(Math.ceil(ms), MAX_COOLDOWN_MS));
      stateOf(host).cooldownUntil = clock.now().getTime() + bounded;
      log.warn({ registry: host, forMs: bounded }, 'registry cooldown');
      await redis.set(keyOf(host), '1', 'PX', bounded).catch(() => {});
    },
    record(host, answered) {
      const state = stateOf(host);
      if (answered) state.breaker.succeeded();
      else state.breaker.failed();
      forget(host, state);
    },
  };
}
