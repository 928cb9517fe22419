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
import type {
  LookupAnswer,
  Lookups,
  QueryRegistry,
  Registration,
  RegistryRecord,
  RegistryResult,
  UnreadableAnswer,
} from './lookup.ts';
import type { CachedRecord, LookupCache } from './lookup-cache.ts';
import type { QueryRegistrar } from './network-registry.ts';

export interface LookupOptions {
  ask: QueryRegistry;
  askRegistrar: QueryRegistrar;
  cache: LookupCache;
  clock: Clock;
  log: Logger;
  /** Milliseconds for a registry, including all fallbacks. */
  registryMs: number;
  /** Milliseconds a lookup may then wait for the registrar. */
  registrarMs: number;
  metrics?: Pick<Metrics, 'lookupsTotal' | 'lookupSeconds'>;
}

/** A registry's answer about a domain, or why there is none. */
type RegistryAnswer =
  | { kind: 'answer'; answer: CachedRecord; cached: boolean }
  | Exclude<RegistryResult, { kind: 'record' }>;

/** Lookups over one registry port: one query per domain at a time, with cached answers. */
export class RegistryLookups implements Lookups {
  readonly #options: LookupOptions;
  readonly #closing = createSharedAbort();
  readonly #askOnce = singleFlight((domain: string) => this.#ask(domain));
  readonly #completeOnce = singleFlight((domain: string, answer: CachedRecord, url: string) =>
    this.#complete(domain, answer, url),
  );

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  find(domain: string, signal?: AbortSignal): Promise<LookupAnswer> {
    return unlessAborted(this.#find(domain), signal);
  }

  async registration(domain: string, budgetMs: number): Promise<Registration> {
    try {
      const word = await unlessLate(this.#askOnce(domain), budgetMs);
      if (word?.kind !== 'answer') return 'unknown';
      return word.answer.record.registered ? 'registered' : 'available';
    } catch (error) {
      this.#options.log.error({ err: error }, 'a lookup failed');
      return 'unknown';
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #find(domain: string): Promise<LookupAnswer> {
    const word = await this.#askOnce(domain);
    if (word.kind !== 'answer') throw noAnswer(domain, word);
    const { answer, cached } = word;
    const { registrarUrl } = answer;
    const { record, fetchedAt } =
      registrarUrl === null ? answer : await this.#completeOnce(domain, answer, registrarUrl);
    return { ...record, fetchedAt, cached };
  }

  /** Returns the cached answer, or the registry's. */
  async #ask(domain: string): Promise<RegistryAnswer> {
    const { cache, metrics } = this.#options;
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
      const word = await this.#askRegistry(domain);
      count(word.kind === 'answer' ? outcomeOf(word.answer) : word.kind);
      return word;
    } catch (error) {
      count('failed');
      throw error;
    }
  }

  #askRegistry(domain: string): Promise<RegistryAnswer> {
    const { ask, cache, clock, registryMs } = this.#options;
    return this.#within(registryMs, async (signal) => {
      const finding = await ask(domain, signal);
      if (finding.kind !== 'record') return finding;
      const { record, registrarUrl } = finding;
      const answer = { record, registrarUrl, fetchedAt: clock.now() };
      await cache.keep(domain, answer);
      return { kind: 'answer', answer, cached: false };
    });
  }

  /** Adds the registrar's data. */
  #complete(domain: string, answer: CachedRecord, url: string): Promise<CachedRecord> {
    const { askRegistrar, cache, registrarMs } = this.#options;
    return this.#within(registrarMs, async (signal) => {
      const told = await askRegistrar(domain, url, signal);
      const record = told ? mergeRegistrar(answer.record, told) : answer.record;
      const complete = { ...answer, record, registrarUrl: null };
      await cache.keep(domain, complete);
      return complete;
    });
  }

  /** Runs a query with its own deadline, independent of the callers'. */
  #within<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withAbort({ deadlineMs, signals: [[this.#closing.signal]] }, work);
  }
}

/** The maximum bytes of an unreadable answer to return. */
const MAX_RAW = 32_000;

function noAnswer(domain: string, word: Exclude<RegistryResult, { kind: 'record' }>): ServiceError {
  switch (word.kind) {
    case 'unsupported': {
      const tld = domain.slice(domain.lastIndexOf('.') + 1);
      return fail('not_found', { message: `No registry answers lookups under .${tld}.` });
    }
    case 'unavailable':
      return fail('service_unavailable', {
        // A call of a batch or a tool has no headers.
        message: `The registry did not answer. Retry after ${word.retryAfterSeconds} s.`,
        retryAfterSeconds: word.retryAfterSeconds,
      });
    case 'unreadable':
      return unreadableAnswer(domain, word);
  }
}

function unreadableAnswer(domain: string, { source, text }: UnreadableAnswer): ServiceError {
  const bytes = Buffer.from(text);
  // Streaming mode drops a character that was cut in half.
  const raw = new TextDecoder().decode(bytes.subarray(0, MAX_RAW), { stream: true });
  return fail('unreadable_answer', {
    details: { source, raw, truncated: bytes.length > MAX_RAW },
    // The answer may hold personal data, which must not be logged.
    cause: new Error(`the ${source} answer about ${domain} can't be read`),
  });
}

function outcomeOf({ record }: CachedRecord): 'registered' | 'available' {
  return record.registered ? 'registered' : 'available';
}

/** Shares one call in progress among callers with the same key. */
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

/**
 * Merges the registrar's data into the registry's record. The registry takes precedence. The registrar's data counts
 * only while it manages the name: both name the same registrar, or one names none.
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
