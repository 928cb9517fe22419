import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { backoffMs } from '../concurrency/backoff.ts';
import { type Bulkhead, createBulkhead } from '../concurrency/bulkhead.ts';
import { fail } from '../errors.ts';
import {
  createReadOnlyGuard,
  INDEXED,
  openPool,
  type PoolOptions,
  PRIMARY,
  REPLICA,
  WATCH,
} from './connection-pool.ts';
import { createReadReplica } from './read-replica.ts';
import { runTransaction, type Tx, type Work } from './run-transaction.ts';
import { WakeUps } from './worker-wake-ups.ts';

export type { Tx } from './run-transaction.ts';
/** A connection pool or a transaction, for reads that work with both. */
export type Sql = Knex | Tx;

/** A process's connections to Postgres. */
export interface Postgres {
  knex: Knex;
  /**
   * Runs a read whose data may be two seconds old: on the replica if there is one and it keeps up, otherwise on the
   * primary. Never use it for a read that a write depends on.
   */
  read<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Runs a monitoring read on one of two reserved connections. Statements are canceled after two seconds, so that
   * monitoring never costs more than that.
   * @throws Postgres's error 57014 on cancellation
   */
  readForMonitoring<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Three connections for frequent statements on tables whose size changes faster than Postgres's statistics. Define
   * such statements with `plan: 'once'`: here their plans use indexes, however small a table seemed.
   */
  indexed: Knex;
  /**
   * Runs `work` in one transaction and commits; the COMMIT travels with the last sent statements. After a deadlock or a
   * serialization failure, runs `work` again, at most twice.
   */
  transaction<T>(work: Work<T>): Promise<T>;
  /**
   * Like {@link transaction}, for a request of one partner, user or buyer (an id). Only a few transactions of each run
   * at once in this process, so that one caller's locked rows never take all connections; its others wait.
   * @throws rate_limited if too many are already waiting, service_unavailable if the turn does not come in time
   */
  transactionFor<T>(whom: string, work: Work<T>): Promise<T>;
  /**
   * Returns whether the server of `knex` accepts writes: not if it is a standby or was made read-only. If not, its
   * connections leave the pool, so that new ones find the server that took over.
   */
  isWritable(): Promise<boolean>;
  /** Returns the time of Postgres, in milliseconds since 1970. */
  readTime(): Promise<number>;
  /** Returns the number of connections of `knex`, and of callers waiting for one. */
  connections(): { used: number; free: number; waiting: number };
  /**
   * Tells the workers that due work was committed: one NOTIFY for all commits within a few milliseconds, outside any
   * transaction.
   */
  wakeWorkers(topics: Iterable<string>): void;
  close(): Promise<void>;
}

const RETRYABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 3;
const RETRY = { firstMs: 20, maxMs: 100 };

/** Two, so that a slow query does not block the others. */
const MONITORING_POOL_SIZE = 2;
const INDEXED_POOL_SIZE = 3;

export interface PostgresOptions extends PoolOptions {
  url: string;
  /** The URL of a read replica; empty without one. */
  readUrl: string;
  /** The share of the pool that one partner or user may use, at most half. */
  share: TransactionShare;
}

/** The limits for transactions of one partner or user: at once, waiting, and the maximum wait. */
interface TransactionShare {
  atOnce: number;
  waiting: number;
  waitMs: number;
}

/** Creates a connection pool with time limits for statements, locks and idle transactions. */
export function createPostgres(options: PostgresOptions): Postgres {
  const readOnly = createReadOnlyGuard(options.log);
  const knex = openPool(options, options.url, PRIMARY, readOnly);
  const watching = openPool({ ...options, poolSize: MONITORING_POOL_SIZE }, options.url, WATCH);
  const indexed = openPool(
    { ...options, poolSize: INDEXED_POOL_SIZE },
    options.url,
    INDEXED,
    readOnly,
  );
  const replica = options.readUrl
    ? createReadReplica(knex, openPool(options, options.readUrl, REPLICA), options.log)
    : undefined;

  const wakeUps = new WakeUps(knex);
  const transaction = <T>(work: Work<T>) => transactWithRetries(knex, work);
  const callerLimiter = createCallerLimiter(options.share, options.poolSize);

  return {
    knex,
    read: replica ? replica.read : (query) => query(knex),
    readForMonitoring: (query) => query(watching),
    indexed,
    wakeWorkers: (topics) => wakeUps.add(topics),
    connections: () => countConnections(knex),
    async isWritable() {
      const { rows } = await knex.raw(
        `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writes`,
      );
      if (!rows[0].writes) readOnly.found();
      return rows[0].writes;
    },
    async readTime() {
      const { rows } = await knex.raw(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as time',
      );
      return rows[0].time;
    },
    transaction,
    transactionFor: (whom, work) => callerLimiter(whom, () => transaction(work)),
    async close() {
      wakeUps.close();
      await replica?.close();
      await watching.destroy();
      await indexed.destroy();
      await knex.destroy();
    },
  };
}

async function transactWithRetries<T>(knex: Knex, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runTransaction(knex, work);
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (!RETRYABLE.has(code) || attempt === MAX_ATTEMPTS) throw error;
      // Deadlocked transactions must not retry at the same moment.
      await sleep(backoffMs(attempt, RETRY));
    }
  }
}

/** Limits the concurrency of each key, in order of arrival. */
function createCallerLimiter(share: TransactionShare, poolSize: number) {
  const places = new Map<string, Bulkhead>();
  const most = {
    inside: Math.min(share.atOnce, Math.max(1, Math.floor(poolSize / 2))),
    waiting: share.waiting,
  };
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const its = places.get(key) ?? createBulkhead(most);
    places.set(key, its);
    const patience = AbortSignal.timeout(share.waitMs);
    if (!(await its.enter(patience))) {
      throw patience.aborted
        ? fail('service_unavailable', {
            message:
              'Your earlier requests are still in progress. Retry after the number of seconds in Retry-After.',
            retryAfterSeconds: 1,
          })
        : fail('rate_limited', {
            message:
              'Too many of your requests are already waiting. Wait for the number of seconds in Retry-After.',
            retryAfterSeconds: 1,
          });
    }
    try {
      return await work();
    } finally {
      its.leave();
      if (its.isIdle()) places.delete(key);
    }
  };
}

/** The counters of a knex instance's pool. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

function countConnections(knex: Knex): ReturnType<Postgres['connections']> {
  const pool: Pool | undefined = knex.client.pool;
  return {
    used: pool?.numUsed() ?? 0,
    free: pool?.numFree() ?? 0,
    waiting: pool?.numPendingAcquires() ?? 0,
  };
}
