import type { Clock } from '../platform/clock.ts';
import { fail } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { CachedRecord, LookupCache } from './answer-cache.ts';
import type { QueryRegistry } from './ask-registry.ts';
import type { LookupAnswer, Lookups } from './lookup.ts';
import { mergeRegistrar } from './merge-registrar.ts';
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
  | { kind: 'unsupported' }
  | { kind: 'unavailable'; retryAfterSeconds: number };

/** Lookups over one registry port: one question per domain at a time, and its answer kept. */
export function createLookups(options: LookupOptions): Lookups {
  const { ask, askRegistrar, cache, clock, log, registryMs, registrarMs, metrics } = options;
  const underWay = new Set<AbortController>();
  let closed = false;

  /** Runs a question with a deadline of its own, which no caller's patience shortens. */
  const within = async <T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const cut = new AbortController();
    const timer = setTimeout(() => cut.abort(), ms);
    underWay.add(cut);
    if (closed) cut.abort();
    try {
      return await work(cut.signal);
    } finally {
      clearTimeout(timer);
      underWay.delete(cut);
    }
  };

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
        const word = await withTimeout(registryWords(domain), budgetMs);
        if (word?.kind !== 'answer') return 'unknown';
        return word.answer.record.registered ? 'registered' : 'available';
      } catch (error) {
        log.error({ err: error }, 'a lookup failed');
        return 'unknown';
      }
    },
    close() {
      closed = true;
      for (const cut of underWay) cut.abort();
    },
  };
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

/** The result of `work`, or undefined when it takes longer. */
async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Nobody may be left to hear how it ends.
    work.catch(() => {});
  }
}

/** @throws service_unavailable when the caller's signal ends the wait */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(fail('service_unavailable'));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
