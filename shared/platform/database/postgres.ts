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
import { Pipeline } from './pipeline.ts';
import { createReadReplica } from './read-replica.ts';
import { WakeUps } from './worker-wake-ups.ts';

/** A transaction. A function that takes one never opens or commits a transaction, and calls nothing but Postgres. */
export type Tx = Knex.Transaction;
/** Either one, for reads that work inside and outside of a transaction. */
export type Sql = Knex | Tx;

/** What is done in a transaction. Its pipeline sends what needs no answer. */
type Work<T> = (tx: Tx, pipeline: Pipeline) => Promise<T>;

/** A process's connections to Postgres. */
export interface Postgres {
  knex: Knex;
  /**
   * Runs a read that may be two seconds late: on the replica when there is one and it keeps up, on the primary
   * otherwise. Never use it for a read that a write depends on.
   */
  read<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Runs a read for monitoring on two connections of its own. Its statements are cancelled after two seconds, so that
   * monitoring never costs more than that.
   * @throws the error of Postgres then (57014)
   */
  readForMonitoring<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Three connections for statements that run many times a second on tables that fill and empty faster than Postgres
   * counts them. Define those with `plan: 'once'`: here that plan goes by index, however small a table seemed then.
   */
  indexed: Knex;
  /**
   * Runs `work` in one transaction and commits, together with what it sent last. After a deadlock or a serialization
   * failure it runs again, at most twice.
   */
  transaction<T>(work: Work<T>): Promise<T>;
  /**
   * The same for a request of one partner, user or buyer (an id). Only a few transactions of each run at once in this
   * process, so that locked rows of one never take all connections; the others wait.
   * @throws rate_limited when too many wait already, service_unavailable when the turn did not come in time
   */
  transactionFor<T>(whom: string, work: Work<T>): Promise<T>;
  /**
   * Whether the server of `knex` takes writes: it does not as a standby, nor once it was made read-only. When it
   * does not, the connections to it leave the pool, so that the next ones find the server that took over.
   */
  isWritable(): Promise<boolean>;
  /** The time of Postgres, in milliseconds since 1970. */
  readTime(): Promise<number>;
  /** Connections of `knex`, and callers that wait for one. */
  connections(): { used: number; free: number; waiting: number };
  /**
   * Tells the workers which due work was committed: one NOTIFY for all commits within a few milliseconds, outside any
   * transaction.
   */
  wakeWorkers(topics: Iterable<string>): void;
  close(): Promise<void>;
}

const RETRYABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 3;
const RETRY = { firstMs: 20, maxMs: 100 };

/** Two, so that a slow figure does not keep the others waiting. */
const MONITORING_POOL_SIZE = 2;
const INDEXED_POOL_SIZE = 3;

export interface PostgresOptions extends PoolOptions {
  url: string;
  /** The URL of a read replica; empty without one. */
  readUrl: string;
  /** How much of the pool one partner or user may use, at most half. */
  share: TransactionShare;
}

/** Transactions of one partner or user: how many at once, how many wait beside them, and for how long. */
interface TransactionShare {
  atOnce: number;
  waiting: number;
  waitMs: number;
}

/** A pool of connections. Statements, locks and forgotten transactions are bounded in time. */
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
      return await transactOnce(knex, work);
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (!RETRYABLE.has(code) || attempt === MAX_ATTEMPTS) throw error;
      // Transactions that deadlocked must not retry at the same moment.
      await sleep(backoffMs(attempt, RETRY));
    }
  }
}

async function transactOnce<T>(knex: Knex, work: Work<T>): Promise<T> {
  let sent: Pipeline | undefined;
  const result = await knex.transaction(async (tx) => {
    const pipeline = new Pipeline(tx);
    sent = pipeline;
    try {
      const outcome = await work(tx, pipeline);
      await pipeline.decided();
      return outcome;
    } catch (error) {
      throw await pipeline.causeOf(error);
    }
  });
  // Knex takes for a COMMIT what rolled back, because a statement before it had failed.
  await sent?.settle();
  return result;
}

/** Gives each key its places, first come first served. */
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
              'Your earlier requests are still being worked on. Retry after the seconds of Retry-After.',
            retryAfterSeconds: 1,
          })
        : fail('rate_limited', {
            message:
              'Too many of your requests are waiting already. Wait for the seconds that Retry-After names.',
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

/** The pool of a knex instance, as far as it counts its connections. */
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
