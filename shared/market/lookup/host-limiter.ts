import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { type Bulkhead, createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Redis } from '../../platform/redis/redis.ts';

/**
 * Says that a server must not be asked now: it `asked` for a rest, answered nobody lately (`failing`), or too
 * many questions to it are waiting (`crowded`).
 */
export interface HostBlocked {
  closed: 'asked' | 'failing' | 'crowded';
  forMs: number;
}

/**
 * Keeps us polite: so many questions to one server at a time, the others in a queue, and none at all while the
 * server asked for a rest or does not answer anybody.
 */
export interface HostLimiter {
  /** Asks when it is our turn; `Closed` when it must not be asked, or `signal` ended the wait. */
  pass<T>(host: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T | HostBlocked>;
  /** Asks a server no more for a while, in every process. */
  rest(host: string, ms: number): Promise<void>;
  /** Counts answers and failures; after a few failures in a row the server gets a short rest. */
  note(host: string, answered: boolean): void;
}

const MAX_QUEUED_PER_HOST = 100;
/** Servers that are remembered at a time; the one longest unused is forgotten first. */
const MAX_HOSTS = 5_000;
const FAILURE_THRESHOLD = 3;
const FAILURE_COOLDOWN_MS = 10 * SECOND;
/** Whatever a server asks for. */
export const MAX_COOLDOWN_MS = 60 * MINUTE;

interface HostState {
  places: Bulkhead;
  failures: number;
  restUntil: number;
  failingUntil: number;
}

export function isHostBlocked(answer: unknown): answer is HostBlocked {
  return typeof answer === 'object' && answer !== null && 'closed' in answer;
}

export function createHostLimiter(deps: {
  redis: Redis;
  /** Prefix of the keys in Redis. */
  prefix: string;
  log: Logger;
  /** Questions to one server at a time, per process. */
  perServer: number;
}): HostLimiter {
  const { redis, prefix, log, perServer } = deps;
  const doors = new LRUCache<string, HostState>({ max: MAX_HOSTS });
  const keyOf = (host: string) => `${prefix}:lookup:rest:${host}`;

  const doorOf = (host: string): HostState => {
    const known = doors.get(host);
    if (known) return known;
    const places = createBulkhead({ inside: perServer, waiting: MAX_QUEUED_PER_HOST });
    const door = { places, failures: 0, restUntil: 0, failingUntil: 0 };
    doors.set(host, door);
    return door;
  };
  /** Servers are as many as answers from outside name, so those that nothing is known of are forgotten. */
  const forget = (host: string, door: HostState) => {
    const idle = door.places.isIdle() && door.failures === 0;
    const open = Math.max(door.restUntil, door.failingUntil) <= performance.now();
    if (idle && open) doors.delete(host);
  };
  const closedNow = async (host: string, door: HostState): Promise<HostBlocked | undefined> => {
    const now = performance.now();
    if (door.restUntil > now) return { closed: 'asked', forMs: door.restUntil - now };
    if (door.failingUntil > now) return { closed: 'failing', forMs: door.failingUntil - now };
    // Another process may have been told to rest. Without Redis each process learns it by itself.
    const forMs = await redis.pttl(keyOf(host)).catch(() => 0);
    return forMs > 0 ? { closed: 'asked', forMs } : undefined;
  };

  return {
    async pass(host, signal, ask) {
      const door = doorOf(host);
      try {
        if (signal.aborted || !(await door.places.enter(signal))) {
          return { closed: 'crowded', forMs: SECOND };
        }
        try {
          return (await closedNow(host, door)) ?? (await ask());
        } finally {
          door.places.leave();
        }
      } finally {
        forget(host, door);
      }
    },
    async rest(host, ms) {
      const bounded = Math.max(1, Math.min(Math.ceil(ms), MAX_COOLDOWN_MS));
      doorOf(host).restUntil = performance.now() + bounded;
      log.warn({ registry: host, forMs: bounded }, 'a registry is not asked for a while');
      await redis.set(keyOf(host), '1', 'PX', bounded).catch(() => {});
    },
    note(host, answered) {
      const door = doorOf(host);
      door.failures = answered ? 0 : door.failures + 1;
      if (door.failures >= FAILURE_THRESHOLD) {
        door.failures = 0;
        door.failingUntil = performance.now() + FAILURE_COOLDOWN_MS;
      }
      forget(host, door);
    },
  };
}
