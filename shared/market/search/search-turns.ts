import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Bulkhead, createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail } from '../../platform/errors.ts';

/**
 * The searches of a process that Postgres runs at once. Its share of a search takes about as long as ours and is nearly
 * all computing, so three keep a process busy. More would be no faster: they share the CPUs of Postgres, each
 * connection maps the index into memory, and orders find fewer free connections.
 */
const AT_ONCE = 3;
/**
 * The maximum queue length. In a longer queue, searches would wait for seconds while Postgres is slow; a retry is
 * better.
 */
const MOST_WAITING = 64;
const PATIENCE_MS = 5_000;

const turnsOf = new WeakMap<Database, Bulkhead>();

/**
 * Reads from the search index when a place is free.
 * @throws service_unavailable when too many searches wait, or the wait takes too long
 */
export async function readInTurn<T>(db: Database, query: (sql: Sql) => Promise<T>): Promise<T> {
  const turns = turnsOf.get(db) ?? createBulkhead({ inside: AT_ONCE, waiting: MOST_WAITING });
  turnsOf.set(db, turns);
  if (!(await turns.enter(AbortSignal.timeout(PATIENCE_MS)))) {
    throw fail('service_unavailable', {
      message: 'Too many searches are waiting. Retry after the seconds of Retry-After.',
      retryAfterSeconds: 1,
    });
  }
  try {
    return await db.read(query);
  } finally {
    turns.leave();
  }
}
