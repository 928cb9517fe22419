import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { MINUTE, SECOND } from '../clock.ts';
import { backoffMs } from '../concurrency/backoff.ts';
import { type Bulkhead, createBulkhead } from '../concurrency/bulkhead.ts';
import { fail } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { READ_ONLY_SQLSTATE } from './database-errors.ts';
import { createReadReplica } from './read-replica.ts';
import {
  adaptToTransactionPooler,
  type SessionSettings,
  startupOptions,
} from './transaction-pooler.ts';

/** A transaction; a function that takes one never opens, commits, or talks to anything but Postgres. */
export type Tx = Knex.Transaction;
/** Either: for reads that work inside and outside of a transaction. */
export type Sql = Knex | Tx;

/** A process's way to Postgres. */
export interface Postgres {
  knex: Knex;
  /**
   * Runs a read that may be two seconds late: on the replica when there is one and it keeps up, on the primary
   * otherwise. Never for what decides about a write.
   */
  read<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Runs a read for people and machines that watch how the installation fares, on two connections that are for
   * nothing else. Its statements are ended after two seconds, so that watching never costs more than that.
   * @throws the error of Postgres then (57014)
   */
  readForMonitoring<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Three connections for statements that run many times a second on tables that fill and empty faster than Postgres
   * counts them. Define those with `plan: 'once'`: here that plan goes by index, however small a table seemed then.
   */
  indexed: Knex;
  /**
   * Runs `work` in one transaction and commits. After a deadlock or a serialization failure it runs again, at
   * most twice.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same for a request of one partner, user or buyer (an id), of whom only a few transactions run at once in this
   * process, so that one whose rows are locked never has all connections. The others wait their turn.
   * @throws rate_limited when too many wait already, service_unavailable when the turn did not come in time
   */
  transactionFor<T>(whom: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Whether the server of `knex` takes writes: it does not as a standby, nor once it was made read-only. When it
   * does not, the connections to it leave the pool, so that the next ones find the server that took over.
   */
  isWritable(): Promise<boolean>;
  /** Its time, in milliseconds since 1970. */
  readTime(): Promise<number>;
  /** Connections of `knex`, and callers that wait for one. */
  connections(): { used: number; free: number; waiting: number };
  /**
   * Tells the worker fleet that due work was committed, and of what: a NOTIFY, one for all commits of some milliseconds,
   * outside any transaction.
   */
  wakeWorkers(topics: Iterable<string>): void;
  close(): Promise<void>;
}

const WAKE_CHANNEL = 'outbox_wake';
/**
 * The first wake-up goes out at once, and those of the next milliseconds as one: Postgres lets commits with a NOTIFY
 * through one at a time.
 */
const WAKE_PAUSE_MS = 10;
/** Of a NOTIFY, which Postgres bounds at 8,000 bytes. */
const WAKE_TOPICS = 200;
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 3;
const RETRY = { firstMs: 20, maxMs: 100 };

/** int8 arrives as text; every amount and id of ours is a safe integer, and anything else is a bug. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of the safe range: ${text}`);
  return value;
});
/** sum(bigint) is numeric; ours are integers. */
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => Number(text));

export interface PostgresOptions {
  url: string;
  /** Of a replica; empty is none. */
  readUrl: string;
  poolSize: number;
  /** What stands in front of Postgres; it may be PgBouncer in transaction mode. */
  pooler?: 'none' | 'transaction';
  /** How long a statement waits for a lock. */
  lockMs: number;
  /** What one partner or user may have of the pool; at most half of it is ever given. */
  share: TransactionShare;
  applicationName: string;
  /** For programs that do a long piece of work for nobody who waits: how long that takes is for the machine to say. */
  patient?: boolean;
  log: Logger;
  /** How long a connection may say nothing before its server is asked whether it is at work. */
  silenceMs?: number;
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

  let wakeTimer: NodeJS.Timeout | undefined;
  let wokeAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  let topics = new Set<string>();
  const wakeWorkers = (more: Iterable<string>) => {
    for (const topic of more) topics.add(topic);
    if (wakeTimer || closed || topics.size === 0) return;
    const notify = () => {
      wakeTimer = undefined;
      wokeAt = performance.now();
      const all = [...topics];
      topics = new Set();
      for (let at = 0; at < all.length; at += WAKE_TOPICS) {
        const some = all.slice(at, at + WAKE_TOPICS).join(' ');
        // A lost wake-up costs one poll interval and nothing else.
        knex.raw(`select pg_notify('${WAKE_CHANNEL}', ?)`, [some]).catch(() => {});
      }
    };
    wakeTimer = setTimeout(notify, Math.max(0, wokeAt + WAKE_PAUSE_MS - performance.now()));
    wakeTimer.unref();
  };

  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await knex.transaction(work);
      } catch (error) {
        const code = (error as { code?: string }).code ?? '';
        if (!RETRYABLE.has(code) || attempt === MAX_ATTEMPTS) throw error;
        // Those that met must not meet again.
        await sleep(backoffMs(attempt, RETRY));
      }
    }
  };
  const callerLimiter = createCallerLimiter(options.share, options.poolSize);

  return {
    knex,
    read: replica ? replica.read : (query) => query(knex),
    readForMonitoring: (query) => query(watching),
    indexed,
    wakeWorkers,
    connections() {
      const pool: Pool | undefined = knex.client.pool;
      return {
        used: pool?.numUsed() ?? 0,
        free: pool?.numFree() ?? 0,
        waiting: pool?.numPendingAcquires() ?? 0,
      };
    },
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
      closed = true;
      clearTimeout(wakeTimer);
      await replica?.close();
      await watching.destroy();
      await indexed.destroy();
      await knex.destroy();
    },
  };
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

interface PoolKind {
  settings: SessionSettings;
  acquireMs: number;
  /** 0 is without a limit of our own. */
  queryMs: number;
}

/** What a statement, and a transaction that asks nothing, may take; and at least, to get a connection. */
const BOUNDS = { statementMs: 30 * SECOND, idleMs: 15 * SECOND, acquireMs: 0 };
/** A program that was stopped must not hold its locks for ever. */
const PATIENT = { statementMs: 10 * MINUTE, idleMs: 10 * MINUTE, acquireMs: MINUTE };

const PRIMARY: PoolKind = { settings: {}, acquireMs: 5_000, queryMs: 0 };
/** Two, so that a slow figure does not keep the others waiting. */
const MONITORING_POOL_SIZE = 2;
const INDEXED_POOL_SIZE = 3;
const INDEXED: PoolKind = {
  ...PRIMARY,
  settings: {
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
  },
};
const WATCH: PoolKind = { settings: { statement_timeout: '2000' }, acquireMs: 2_000, queryMs: 0 };
/** Nothing is written through it, and the primary is near when it does not answer. */
const REPLICA: PoolKind = {
  settings: { default_transaction_read_only: 'on' },
  acquireMs: 1_000,
  queryMs: 5_000,
};

function openPool(
  {
    poolSize,
    pooler = 'none',
    lockMs,
    applicationName,
    patient = false,
    log,
    silenceMs = SILENCE_MS,
  }: PostgresOptions,
  url: string,
  { settings: own, acquireMs, queryMs }: PoolKind,
  readOnly?: ReadOnlyGuard,
): Knex {
  const pooled = pooler === 'transaction';
  const bounds = patient ? PATIENT : BOUNDS;
  const settings: SessionSettings = {
    statement_timeout: String(bounds.statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(bounds.idleMs),
    jit: 'off',
    ...own,
  };
  const pool = knexModule({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...(queryMs > 0 && { query_timeout: queryMs }),
      ...(pooled ? { pipeline: true } : { options: startupOptions(settings) }),
    },
    pool: {
      min: 0,
      max: poolSize,
      afterCreate(connection: pg.Client, done: (error: null, connection: pg.Client) => void) {
        destroyWhenSilent(connection, url, silenceMs);
        readOnly?.watch(connection);
        if (pooled) adaptToTransactionPooler(connection, settings);
        done(null, connection);
      },
      ...(readOnly && { validate: readOnly.isGood }),
    },
    acquireConnectionTimeout: Math.max(acquireMs, bounds.acquireMs),
    // An error message must not hold the values of its statement.
    compileSqlOnError: false,
    // Knex would print to the standard output otherwise.
    log: knexLog(log),
  });
  pool.client.pool?.on?.('error', (error: Error) => log.warn({ err: error }, 'postgres pool'));
  return pool;
}

/** A connection that is younger reached the server that its address leads to now. */
const SETTLED_MS = 1_000;

interface ReadOnlyGuard {
  /** Looks after a new connection. */
  watch(connection: pg.Client): void;
  /** A connection turned out to be read-only: those of before are given up. */
  found(): void;
  isGood(connection: pg.Client): boolean;
}

/**
 * After a failover the old primary keeps our connections, and would refuse every write for ever. As soon as one
 * is refused, all of that time are closed when they are next taken from the pool.
 */
function createReadOnlyGuard(log: Logger): ReadOnlyGuard {
  const openedAt = new Map<pg.Client, number>();
  const found = () => {
    const before = performance.now() - SETTLED_MS;
    const old = [...openedAt].filter(([, at]) => at < before);
    for (const [connection] of old) openedAt.delete(connection);
    if (old.length > 0) log.warn({ connections: old.length }, 'postgres: read-only, reconnecting');
  };
  return {
    found,
    isGood: (connection) => openedAt.has(connection),
    watch(connection) {
      openedAt.set(connection, performance.now());
      connection.once('end', () => openedAt.delete(connection));
      connection.connection.on('errorMessage', ({ code }: { code?: string }) => {
        if (code === READ_ONLY_SQLSTATE) found();
      });
    },
  };
}

/** Longer than a statement takes, but for the few that may take more. */
const SILENCE_MS = 35_000;
/** A connection that nobody uses is probed after so long, so that no firewall forgets it and a host that vanished is noticed. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Ends a connection that owes an answer and whose other side went without a word (a host that vanished, a firewall that
 * forgot), which the kernel would take a quarter of an hour to notice. One that was asked nothing owes nothing: its
 * transaction may hold a lock for as long as its owner needs. One that has a statement at work is let be as well: the
 * server is asked, over another connection. So is one on which something passed meanwhile: a process that was busy may
 * not have read the answer yet.
 */
function destroyWhenSilent(connection: pg.Client, url: string, silenceMs: number): void {
  const { stream } = connection.connection as unknown as { stream: Socket };
  stream.setTimeout(silenceMs, async () => {
    const { processID, readyForQuery } = connection as unknown as WireState;
    const passed = () => stream.bytesWritten + stream.bytesRead;
    const before = passed();
    const isFine = readyForQuery || (await hasActiveStatement(url, processID)) || passed() > before;
    if (isFine) destroyWhenSilent(connection, url, silenceMs);
    else stream.destroy(new Error('Connection terminated: the server says nothing more'));
  });
}

/** What the driver knows of a session and does not declare. */
interface WireState {
  processID: number;
  /** Every statement that was sent has been answered. */
  readyForQuery: boolean;
}

/** Whether the server has a statement of that session at work. One that does not answer in time is asked once more. */
async function hasActiveStatement(url: string, processID: number): Promise<boolean> {
  const ask = () => askForActiveStatement(url, processID);
  return ask()
    .catch(ask)
    .catch(() => false);
}

async function askForActiveStatement(url: string, processID: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const found = await client.query(
      `select 1 from pg_stat_activity where pid = $1 and state = 'active'`,
      [processID],
    );
    return found.rowCount === 1;
  } finally {
    client.end().catch(() => {});
  }
}

function knexLog(log: Logger): NonNullable<Knex.Config['log']> {
  const say = (level: 'debug' | 'warn') => (message: unknown) =>
    log[level]({ detail: String(message) }, 'knex');
  return { debug: say('debug'), deprecate: say('debug'), warn: say('warn'), error: say('warn') };
}

/**
 * Calls `onWake` for every wake-up, with what it is about; reconnects by itself until `stop()`. The poll of the caller
 * stays the truth.
 */
export function listenForWake(
  url: string,
  log: Logger,
  onWake: (topics: readonly string[]) => void,
): { stop(): Promise<void> } {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'wake-listener',
    });
    client = next;
    next.on('notification', ({ payload = '' }) => onWake(payload.split(' ')));
    const lost = (error?: Error) => {
      if (client !== next || stopped) return;
      client = undefined;
      log.debug({ err: error }, 'wake listener lost, polling meanwhile');
      next.end().catch(() => {});
      retry = setTimeout(() => void connect(), 1_000);
    };
    next.on('error', lost);
    next.on('end', () => lost());
    try {
      await next.connect();
      await next.query(`listen ${WAKE_CHANNEL}`);
    } catch (error) {
      lost(error as Error);
    }
  };
  void connect();

  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}
