import { LRUCache } from 'lru-cache';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { type Candidate, type FoundName, selectNames } from './search.store.ts';

/** Names that a process keeps, in some 60 MB, and how long: vectors are made anew, and the index is rebuilt. */
const KEPT = { most: 40_000, ms: MINUTE } as const;

interface KnownName {
  candidate: Candidate;
  /** Of its vector. */
  model: string | null;
}

const keptOf = new WeakMap<Database, LRUCache<number, KnownName>>();

/**
 * What there is to know of names that a search found: to read it costs as much as to find them, so it is kept. A name is
 * read anew when its listing was changed in anything, and while it has no vector of the model; one that is sold is not
 * found.
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
