import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import {
  createSharedAbort,
  orAbort,
  unlessLate,
  withAbort,
} from '../../platform/concurrency/deadline.ts';
import { fail, type ServiceError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type {
  LookupAnswer,
  Lookups,
  QueryRegistry,
  RegistryRecord,
  RegistryResult,
  UnreadableAnswer,
} from './lookup.ts';
import type { QueryRegistrar } from './network-registry.ts';

export interface LookupOptions {
  ask: QueryRegistry;
  askRegistrar: QueryRegistrar;
  cache: LookupCache;
  clock: Clock;
  log: Logger;
  /** Milliseconds for a registry with all its fallbacks. */
  registryMs: number;
  /** Milliseconds that a lookup may then wait for the registrar. */
  registrarMs: number;
  metrics?: Pick<Metrics, 'lookupsTotal' | 'lookupSeconds'>;
}

/** A registry's word on a domain: an answer to keep, or why there is none. */
type RegistryAnswer =
  | { kind: 'answer'; answer: CachedRecord; cached: boolean }
  | Exclude<RegistryResult, { kind: 'record' }>;

/** Lookups over one registry port: one question per domain at a time, and its answer kept. */
export function createLookups(options: LookupOptions): Lookups {
  const { ask, askRegistrar, cache, clock, log, registryMs, registrarMs, metrics } = options;
  const closing = createSharedAbort();

  /** Runs a question with a deadline of its own, which no caller's patience shortens. */
  const within = <T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withAbort({ deadlineMs, signals: [[closing.signal]] }, work);

  const askAndKeep = (domain: string): Promise<RegistryAnswer> =>
    within(registryMs, async (signal) => {
      const finding = await ask(domain, signal);
      if (finding.kind !== 'record') return finding;
      const { record, registrarUrl } = finding;
      const answer = { record, registrarUrl, fetchedAt: clock.now() };
      await cache.keep(domain, answer);
      return { kind: 'answer', answer, cached: false };
    });

  const completeAndKeep = (
    domain: string,
    answer: CachedRecord,
    url: string,
  ): Promise<CachedRecord> =>
    within(registrarMs, async (signal) => {
      const told = await askRegistrar(domain, url, signal);
      const record = told ? mergeRegistrar(answer.record, told) : answer.record;
      const complete = { ...answer, record, registrarUrl: null };
      await cache.keep(domain, complete);
      return complete;
    });

  const registryWords = singleFlight(async (domain: string): Promise<RegistryAnswer> => {
    const kept = await cache.find(domain);
    if (kept) {
      metrics?.lookupsTotal.inc({ source: 'cache', outcome: outcomeOf(kept) });
      return { kind: 'answer', answer: kept, cached: true };
    }
    const ended = metrics?.lookupSeconds.startTimer();
    const count = (outcome: string) => {
      ended?.({ outcome });
      metrics?.lookupsTotal.inc({ source: 'registry', outcome });
    };
    try {
      const word = await askAndKeep(domain);
      count(word.kind === 'answer' ? outcomeOf(word.answer) : word.kind);
      return word;
    } catch (error) {
      count('failed');
      throw error;
    }
  });
  const completions = singleFlight(completeAndKeep);

  const lookUp = async (domain: string): Promise<LookupAnswer> => {
    const word = await registryWords(domain);
    if (word.kind === 'unsupported') {
      const tld = domain.slice(domain.lastIndexOf('.') + 1);
      throw fail('not_found', { message: `No registry answers lookups under .${tld}.` });
    }
    if (word.kind === 'unavailable') {
      throw fail('service_unavailable', {
        message: 'The registry did not answer. Retry after the seconds of Retry-After.',
        retryAfterSeconds: word.retryAfterSeconds,
      });
    }
    if (word.kind === 'unreadable') throw unreadableAnswer(domain, word);
    const { answer, cached } = word;
    const { record, fetchedAt } =
      answer.registrarUrl === null
        ? answer
        : await completions(domain, answer, answer.registrarUrl);
    return { ...record, fetchedAt, cached };
  };

  return {
    find: (domain, signal) => unlessAborted(lookUp(domain), signal),
    async registration(domain, budgetMs) {
      try {
        const word = await unlessLate(registryWords(domain), budgetMs);
        if (word?.kind !== 'answer') return 'unknown';
        return word.answer.record.registered ? 'registered' : 'available';
      } catch (error) {
        log.error({ err: error }, 'a lookup failed');
        return 'unknown';
      }
    },
    close() {
      closing.abort();
    },
  };
}

/** Bytes of an unreadable answer that its reader gets. */
const MAX_RAW = 32_000;

function unreadableAnswer(domain: string, { source, text }: UnreadableAnswer): ServiceError {
  const bytes = Buffer.from(text);
  // A character that was cut in half is left out.
  const raw = new TextDecoder().decode(bytes.subarray(0, MAX_RAW), { stream: true });
  return fail('unreadable_answer', {
    details: { source, raw, truncated: bytes.length > MAX_RAW },
    // The answer may hold personal data, which does not belong in the log.
    cause: new Error(`the ${source} answer about ${domain} can't be read`),
  });
}

function outcomeOf({ record }: CachedRecord): 'registered' | 'available' {
  return record.registered ? 'registered' : 'available';
}

/** Callers of one key share the call that is under way. */
function singleFlight<Rest extends unknown[], T>(
  call: (key: string, ...rest: Rest) => Promise<T>,
): (key: string, ...rest: Rest) => Promise<T> {
  const flights = new Map<string, Promise<T>>();
  return (key, ...rest) => {
    const known = flights.get(key);
    if (known) return known;
    const flight = call(key, ...rest).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
}

/** @throws service_unavailable when the caller's signal ends the wait */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return orAbort(work, signal).catch((error: unknown) => {
    throw signal.aborted ? fail('service_unavailable') : error;
  });
}

/** An answer as it is kept. */
interface CachedRecord {
  record: RegistryRecord;
  /** The registrar's record, which nobody has asked for yet. */
  registrarUrl: string | null;
  fetchedAt: Date;
}

export interface LookupCache {
  find(domain: string): Promise<CachedRecord | undefined>;
  keep(domain: string, answer: CachedRecord): Promise<void>;
}

const MAX_IN_MEMORY = 5_000;

/**
 * Keeps answers in Redis for all processes, and in this one, which is what is left while Redis is away. Names
 * that nobody holds are kept for `freeMs` after they were fetched, others for `takenMs`; 0 keeps nothing.
 */
export function createLookupCache(deps: {
  redis: Redis;
  clock: Clock;
  prefix: string;
  takenMs: number;
  freeMs: number;
}): LookupCache {
  const { redis, clock, prefix, takenMs, freeMs } = deps;
  const here = new LRUCache<string, CachedRecord>({ max: MAX_IN_MEMORY });
  // The version changes with the shape, so that a new release does not read an old one's answers.
  const keyOf = (domain: string) => `${prefix}:lookup:1:${domain}`;
  return {
    async find(domain) {
      const known = here.get(domain);
      if (known) return known;
      const text = await redis.get(keyOf(domain)).catch(() => null);
      return text === null ? undefined : revived(text);
    },
    async keep(domain, answer) {
      // What the registrar adds later makes the rest no newer.
      const age = Math.max(0, clock.now().getTime() - answer.fetchedAt.getTime());
      const ms = (answer.record.registered ? takenMs : freeMs) - age;
      if (ms <= 0) return;
      here.set(domain, answer, { ttl: ms });
      await redis.set(keyOf(domain), JSON.stringify(answer), 'PX', ms).catch(() => {});
    },
  };
}

/** Undefined for what is no answer of ours; then the registry is asked again. */
function revived(text: string): CachedRecord | undefined {
  try {
    return withDates(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function withDates(kept: CachedRecord): CachedRecord {
  const dateOf = (value: Date | null) => (value === null ? null : new Date(value));
  const { created, updated, expires } = kept.record.dates;
  const dates = { created: dateOf(created), updated: dateOf(updated), expires: dateOf(expires) };
  return { ...kept, record: { ...kept.record, dates }, fetchedAt: new Date(kept.fetchedAt) };
}

/**
 * The registry's record with what its registrar tells beyond it. Where both speak, the registry is right; the
 * registrar is believed only while it runs the name, that is when both name the same registrar or one is silent.
 */
function mergeRegistrar(registry: RegistryRecord, told: RegistryRecord): RegistryRecord {
  const ours = registry.registrar?.ianaId ?? null;
  const theirs = told.registrar?.ianaId ?? null;
  if (ours !== null && theirs !== null && ours !== theirs) return registry;
  const filled = <T>(first: readonly T[], second: readonly T[]) =>
    first.length > 0 ? first : second;
  return {
    ...registry,
    registrar: registry.registrar
      ? {
          name: registry.registrar.name ?? told.registrar?.name ?? null,
          ianaId: ours ?? theirs,
        }
      : told.registrar,
    registrant: registry.registrant ?? told.registrant,
    dates: {
      created: registry.dates.created ?? told.dates.created,
      updated: registry.dates.updated ?? told.dates.updated,
      expires: registry.dates.expires ?? told.dates.expires,
    },
    nameservers: filled(registry.nameservers, told.nameservers),
    status: filled(registry.status, told.status),
    dnssec: registry.dnssec ?? told.dnssec,
  };
}
