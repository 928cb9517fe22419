import type { Database } from '../../../messaging/unit-of-work/database.ts';
import { addMs, type Clock, DAY, dayOf, HOUR, SECOND } from '../../../platform/clock.ts';
import type { Environment } from '../../../platform/config/config.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import type { SearchDeps } from '../search-listings.ts';
import { type MissReading, readMiss } from './read-miss.ts';
import {
  addQueries,
  addToDay,
  countQueries,
  deleteRareQueries,
  selectDays,
  selectDaysWithoutReport,
  selectFrequent,
  selectFrequentOfDay,
  writeReadings,
} from './search-miss.store.ts';

/** How long a process collects counts before it writes them. */
const FLUSH_MS = 10 * SECOND;
/** The number of distinct queries a process collects per day; of others it only counts the searches. */
const MAX_WAITING = 1_000;
/** The number of distinct queries kept per day and environment: during the day, and after its report. */
const MAX_PER_DAY = 5_000;
const KEPT_PER_DAY = 1_000;
/** The number of those for which the report records the interpretation. */
const READ_PER_DAY = 200;
const MAX_CHARACTERS = 100;
/** A process may write a day's counts shortly after the day ends. */
const REPORT_AFTER_MS = HOUR;

/** Counts searches that found nothing, without their users. */
export interface SearchMisses {
  /** Counts one search. Returns at once and never throws. */
  count(environment: Environment, query: string): void;
  /** Writes the counts since the last flush. Never throws: counts that fail to write are lost. */
  flush(): Promise<void>;
  /** Writes the remaining counts and stops counting. */
  close(): Promise<void>;
}

interface DayCounts {
  environment: Environment;
  day: string;
  searches: number;
  byQuery: Map<string, number>;
}

/** Creates the counter of a process. It collects in memory and writes every few seconds, so no search waits. */
export function createSearchMisses({
  db,
  clock,
  log,
}: {
  db: Database;
  clock: Clock;
  log: Logger;
}): SearchMisses {
  let waiting = new Map<string, DayCounts>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const days = [...waiting.values()];
    waiting = new Map();
    for (const counts of days) {
      try {
        await writeCounts(db, counts);
      } catch (error) {
        const { code } = error as { code?: unknown };
        // Omits the error itself, which may quote the queries.
        log.warn({ code, searches: counts.searches }, 'search misses: not written');
      }
    }
  }

  return {
    count(environment, query) {
      if (closed) return;
      const day = dayOf(clock.now());
      const key = `${environment} ${day}`;
      const counts = waiting.get(key) ?? { environment, day, searches: 0, byQuery: new Map() };
      waiting.set(key, counts);
      counts.searches += 1;
      const kept = toKeptQuery(query);
      if (kept !== null && (counts.byQuery.has(kept) || counts.byQuery.size < MAX_WAITING)) {
        counts.byQuery.set(kept, (counts.byQuery.get(kept) ?? 0) + 1);
      }
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },
    flush,
    async close() {
      closed = true;
      await flush();
    },
  };
}

async function writeCounts(db: Database, counts: DayCounts): Promise<void> {
  const { environment, day, searches, byQuery } = counts;
  // Every process writes rows in the same order, which prevents deadlocks.
  await db.transact(async ({ sql }) => {
    await addToDay.run(sql, { environment, day, searches });
    if (byQuery.size === 0) return;
    await addQueries.run(sql, {
      environment,
      day,
      queries: [...byQuery.keys()],
      searches: [...byQuery.values()],
      limit: MAX_PER_DAY,
    });
  });
}

/** Seven or more digits with only separators between them may be a phone or account number. */
const LONG_NUMBER = /\d(?:[\s().+/-]*\d){6,}/u;

/**
 * Returns a query as counted: lower case, single spaces. Null if it is long or may be personal data: an email address
 * or a long number. Only the number of such searches is kept.
 */
export function toKeptQuery(query: string): string | null {
  const folded = query.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const length = Array.from(folded).length;
  if (length === 0 || length > MAX_CHARACTERS) return null;
  if (folded.includes('@') || LONG_NUMBER.test(folded) || /\p{Cc}/u.test(folded)) return null;
  return folded;
}

/**
 * Creates the reports of up to `limit` finished days and keeps each day's most frequent queries, the top ones with
 * their interpretation. Returns the number of days. A report runs searches for several seconds.
 */
export async function reportSearchMisses(deps: SearchDeps, limit: number): Promise<number> {
  const { db, clock } = deps;
  const before = dayOf(addMs(clock.now(), -REPORT_AFTER_MS));
  const days = await db.read((sql) => selectDaysWithoutReport.all(sql, { before, limit }));
  for (const day of days) {
    const frequent = await db.read((sql) =>
      selectFrequentOfDay.all(sql, { ...day, limit: READ_PER_DAY }),
    );
    const readings: { query: string; reading: MissReading }[] = [];
    for (const { query } of frequent) {
      readings.push({ query, reading: await readMiss(deps, day.environment, query) });
    }
    await db.transact(async ({ sql }) => {
      await countQueries.run(sql, day);
      await deleteRareQueries.run(sql, { ...day, kept: KEPT_PER_DAY });
      await writeReadings.run(sql, { ...day, readings });
    });
  }
  return days.length;
}

/** A query that found nothing, over several days. */
export interface FrequentMiss {
  query: string;
  searches: number;
  /** The number of days, and the last of them: `2026-11-22`, in UTC. */
  days: number;
  lastDay: string;
  /** From its last report; null without one, and for a day's rarer queries. */
  reading: MissReading | null;
}

/** The searches of a day that found nothing. */
export interface MissDay {
  /** `2026-11-22`, in UTC. */
  day: string;
  searches: number;
  /** Distinct queries; null until the day is over. */
  queries: number | null;
}

/** Returns the `limit` most frequent queries without results of the last `days` days, and these days, newest first. */
export async function readSearchMisses(
  { db, clock }: { db: Database; clock: Clock },
  { environment, days, limit }: { environment: Environment; days: number; limit: number },
): Promise<{ frequent: FrequentMiss[]; days: MissDay[] }> {
  const from = dayOf(addMs(clock.now(), -(days - 1) * DAY));
  const [frequent, missDays] = await Promise.all([
    db.read((sql) => selectFrequent.all(sql, { environment, from, limit })),
    db.read((sql) => selectDays.all(sql, { environment, from })),
  ]);
  return { frequent, days: missDays };
}
