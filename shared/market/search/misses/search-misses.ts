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

/** How long counts wait in a process before they are written. */
const FLUSH_MS = 10 * SECOND;
/** Different queries that wait in a process for one day; of further ones only the number is kept. */
const MAX_WAITING = 1_000;
/** Different queries that are kept of a day and environment: while it lasts, and once it has its report. */
const MAX_PER_DAY = 5_000;
const KEPT_PER_DAY = 1_000;
/** Of these the report says how they are understood. */
const READ_PER_DAY = 200;
const MAX_CHARACTERS = 100;
/** A process may write what it counted on a day a little after its end. */
const REPORT_AFTER_MS = HOUR;

/** Counts searches that found nothing, without who made them. */
export interface SearchMisses {
  /** Counts one search. Returns at once and never throws. */
  count(environment: Environment, query: string): void;
  /** Writes what was counted since the last time. Never throws: what cannot be written is lost. */
  flush(): Promise<void>;
  /** Writes the rest, and counts no more. */
  close(): Promise<void>;
}

interface DayCounts {
  environment: Environment;
  day: string;
  searches: number;
  byQuery: Map<string, number>;
}

/** The counter of a process: it collects in memory and writes after some seconds, so that no search waits for it. */
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
        // Without the error itself, which may quote the queries.
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
  // One row after the other in the same order in every process, so that they cannot lock each other out.
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

/** Seven digits or more with nothing but separators between them may be a telephone or an account. */
const LONG_NUMBER = /\d(?:[\s().+/-]*\d){6,}/u;

/**
 * A query as it is counted: lower case, single spaces. Null for what is long, and for what may be a person's:
 * an e-mail address or a long number. Of those only the number of searches is kept.
 */
export function toKeptQuery(query: string): string | null {
  const folded = query.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const length = Array.from(folded).length;
  if (length === 0 || length > MAX_CHARACTERS) return null;
  if (folded.includes('@') || LONG_NUMBER.test(folded) || /\p{Cc}/u.test(folded)) return null;
  return folded;
}

/**
 * Makes the reports of up to `limit` days that are over, and keeps the most frequent queries of each, with what the
 * first of them are understood as; returns how many days. A report searches for some seconds.
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

/** A query that found nothing, over some days. */
export interface FrequentMiss {
  query: string;
  searches: number;
  /** On how many days, and the last of them: `2026-11-22`, in UTC. */
  days: number;
  lastDay: string;
  /** As of its last report; null without one, and for the rarer queries of a day. */
  reading: MissReading | null;
}

/** The searches of a day that found nothing. */
export interface MissDay {
  /** `2026-11-22`, in UTC. */
  day: string;
  searches: number;
  /** Different queries; null while the day is not over. */
  queries: number | null;
}

/** The `limit` queries that found nothing most often in the last `days` days with today, and these days, the newest first. */
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
