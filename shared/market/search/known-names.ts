import { LRUCache } from 'lru-cache';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { type Candidate, type FoundName, selectNames } from './search.store.ts';

/** The number of names a process caches, about 60 MB, and for how long: vectors and the index may be rebuilt. */
const KEPT = { most: 40_000, ms: MINUTE } as const;

interface KnownName {
  candidate: Candidate;
  /** The model of the vector. */
  model: string | null;
}

const keptOf = new WeakMap<Database, LRUCache<number, KnownName>>();

/**
 * Returns the data of names that a search found. Reading it costs as much as the search, so it is cached. A name is
 * read again if its listing changed or it has no vector of the model yet. Sold names are never found, so they are not
 * read.
 */
export async function readNames(
  db: Database,
  sql: Sql,
  {
    environment,
    found,
    model,
  }: Readonly<{
    environment: Environment;
    found: readonly FoundName[];
    model: string | null;
  }>,
): Promise<Candidate[]> {
  const kept =
    keptOf.get(db) ?? new LRUCache({ max: KEPT.most, ttl: KEPT.ms, ttlResolution: KEPT.ms / 60 });
  keptOf.set(db, kept);
  const names = new Map<number, Candidate>();
  const ids: number[] = [];
  for (const { listingId, version } of found) {
    const known = kept.get(listingId);
    const isCurrent =
      known?.candidate.version === version &&
      (model === null || (known.model === model && known.candidate.vector !== null));
    if (isCurrent) names.set(listingId, known.candidate);
    else ids.push(listingId);
  }
  const read = ids.length === 0 ? [] : await selectNames[environment].all(sql, { ids, model });
  for (const candidate of read) {
    names.set(candidate.listingId, candidate);
    kept.set(candidate.listingId, { candidate, model });
  }
  return [...names.values()];
}
