import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE } from '../../platform/clock.ts';
import type { Environment } from '../../platform/config/config.ts';
import { readTermStatistics } from './search.store.ts';

/** The frequencies of an environment's index terms. Estimates: they affect cost and weight, never correctness. */
export interface TermStatistics {
  /** Names in the index. */
  size: number;
  /** Returns the number of names that have a term; 0 if it is too rare to be counted. */
  countOf(term: string): number;
}

const FRESH_MS = 10 * MINUTE;

interface CachedStatistics {
  statistics: Promise<TermStatistics>;
  readAt: number;
  renewing: boolean;
}

const keptOf = new WeakMap<Database, Map<Environment, CachedStatistics>>();

/** Returns Postgres' statistics on terms, cached; a search that finds them stale refreshes them in the background. */
export async function termStatistics(
  { db, clock }: { db: Database; clock: Clock },
  environment: Environment,
): Promise<TermStatistics> {
  const kept = keptOf.get(db) ?? new Map<Environment, CachedStatistics>();
  keptOf.set(db, kept);
  const now = clock.now().getTime();
  const known = kept.get(environment);
  if (!known) {
    const statistics = read(db, environment);
    kept.set(environment, { statistics, readAt: now, renewing: false });
    statistics.catch(() => kept.delete(environment));
    return statistics;
  }
  if (now - known.readAt > FRESH_MS && !known.renewing) {
    known.renewing = true;
    read(db, environment).then(
      (statistics) => {
        kept.set(environment, {
          statistics: Promise.resolve(statistics),
          readAt: now,
          renewing: false,
        });
      },
      () => {
        known.renewing = false;
      },
    );
  }
  return known.statistics;
}

/** Makes the next search reload the statistics, after many names changed at once. */
export function invalidateTermStatistics(db: Database, environment: Environment): void {
  keptOf.get(db)?.delete(environment);
}

async function read(db: Database, environment: Environment): Promise<TermStatistics> {
  const { size, shares } = await readTermStatistics(db.knex, environment);
  const counts = new Map(shares.map(([term, share]) => [term, Math.round(share * size)]));
  return { size, countOf: (term) => counts.get(term) ?? 0 };
}
