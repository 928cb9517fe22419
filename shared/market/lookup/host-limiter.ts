import { LRUCache } from 'lru-cache';
import { type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { type Bulkhead, createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import {
  type CircuitBreaker,
  createCircuitBreaker,
} from '../../platform/concurrency/circuit-breaker.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Redis } from '../../platform/redis/redis.ts';

/** A server must not be queried now: it is in a cooldown, failed recently, or its queue is full (`saturated`). */
export interface HostBlocked {
  blocked: 'cooldown' | 'failing' | 'saturated';
  /** Milliseconds. */
  forMs: number;
}

/**
 * Limits the queries to each server: a number run at a time, others queue, and none run while the server cools down or
 * fails.
 */
export interface HostLimiter {
  /** Queries when a place is free; `HostBlocked` if the server must not be queried or `signal` ended the wait. */
  run<T>(host: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T | HostBlocked>;
  /** Stops querying a server for `ms`, in every process. */
  coolDown(host: string, ms: number): Promise<void>;
  /**
   * Counts successes and failures. After a few failures in a row the server is not queried for a short time, then by
   * one query at a time until it answers.
   */
  record(host: string, answered: boolean): void;
}

const MAX_QUEUED_PER_HOST = 100;
/** The number of servers remembered; the least recently used is evicted first. */
const MAX_HOSTS = 5_000;
const BREAKER = { failures: 3, openMs: 10 * SECOND };
/** The upper limit, whatever a server asks for. */
export const MAX_COOLDOWN_MS = 60 * MINUTE;

interface HostState {
  places: Bulkhead;
  breaker: CircuitBreaker;
  /** On `clock`, in milliseconds. */
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
  /** Concurrent queries to one server, per process. */
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
  /** Drops servers without state to keep: answers from outside can name any number of servers. */
  const forget = (host: string, state: HostState) => {
    const isUnderWay = !state.places.isIdle();
    const isCoolingDown = state.cooldownUntil > clock.now().getTime();
    if (!isUnderWay && !isCoolingDown && !state.breaker.hasFailed()) hosts.delete(host);
  };
  const blockOf = async (host: string, state: HostState): Promise<HostBlocked | undefined> => {
    const here = state.cooldownUntil - clock.now().getTime();
    if (here > 0) return { blocked: 'cooldown', forMs: here };
    // Another process may have started a cooldown. Without Redis, each process learns of it on its own.
    const forMs = await redis.pttl(keyOf(host)).catch(() => 0);
    if (forMs > 0) return { blocked: 'cooldown', forMs };
    // Must come last: a query the breaker lets through must run, because the others wait for its outcome.
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
