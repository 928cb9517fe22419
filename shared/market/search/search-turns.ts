import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Bulkhead, createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail } from '../../platform/errors.ts';

/**
 * Searches of a process that Postgres works on at once. Its part of one takes about as long as ours and is nearly all
 * computing, so three keep a process busy. More would be no faster: they share the processors of Postgres, each
 * connection maps the index into memory for itself, and orders find fewer connections free.
 */
const AT_ONCE = 3;
/**
 * As many as may come in one moment. With more, those at the end would wait for seconds while Postgres is slow, and a
 * caller does better to ask again.
 */
const MOST_WAITING = 64;
const PATIENCE_MS = 5_000;

const turnsOf = new WeakMap<Database, Bulkhead>();

/**
 * Reads from the search index when it is this search's turn.
 * @throws service_unavailable when too many wait already, or the turn does not come in time
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
