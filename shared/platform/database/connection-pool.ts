import type { Socket } from 'node:net';
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { MINUTE, SECOND } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { READ_ONLY_SQLSTATE } from './database-errors.ts';
import { rememberColumns } from './prepared-query.ts';
import {
  adaptToTransactionPooler,
  type SessionSettings,
  startupOptions,
} from './transaction-pooler.ts';

/** The driver returns int8 as text. All our amounts and ids are safe integers; any other value is a bug. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of the safe range: ${text}`);
  return value;
});
/** The type of sum(bigint) is numeric; our sums are integers. */
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => Number(text));

export interface PoolOptions {
  poolSize: number;
  /** The pooler in front of Postgres, if any: PgBouncer in transaction mode. */
  pooler?: 'none' | 'transaction';
  /** The maximum time a statement waits for a lock. */
  lockMs: number;
  applicationName: string;
  /** Allows longer statements, for programs with long work that nobody waits for. */
  patient?: boolean;
  log: Logger;
  /** The time a connection may be silent before we ask the server whether its statement is still running. */
  silenceMs?: number;
}

interface PoolKind {
  settings: SessionSettings;
  acquireMs: number;
  /** 0 disables our own limit. */
  queryMs: number;
}

/** Limits for a statement and for an idle transaction; the minimum wait to get a connection. */
const BOUNDS = { statementMs: 30 * SECOND, idleMs: 15 * SECOND, acquireMs: 0 };
/** Still limited, so that a stopped program does not hold its locks forever. */
const PATIENT = { statementMs: 10 * MINUTE, idleMs: 10 * MINUTE, acquireMs: MINUTE };

export const PRIMARY: PoolKind = { settings: {}, acquireMs: 5_000, queryMs: 0 };
export const INDEXED: PoolKind = {
  ...PRIMARY,
  settings: {
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
  },
};
export const WATCH: PoolKind = {
  settings: { statement_timeout: '2000' },
  acquireMs: 2_000,
  queryMs: 0,
};
/** The replica is read-only, and the primary answers if the replica does not. */
export const REPLICA: PoolKind = {
  settings: { default_transaction_read_only: 'on' },
  acquireMs: 1_000,
  queryMs: 5_000,
};

/** Sends statements without waiting for earlier results. Knex does not know this option of the driver. */
const PIPELINED: object = { pipeline: true };

/** Opens a connection pool with time limits for statements, locks and idle transactions. */
export function openPool(
  {
    poolSize,
    pooler = 'none',
    lockMs,
    applicationName,
    patient = false,
    log,
    silenceMs = SILENCE_MS,
  }: PoolOptions,
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
    // On SSDs, random reads are as fast as sequential ones.
    random_page_cost: '1.1',
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
      ...PIPELINED,
      ...(!pooled && { options: startupOptions(settings) }),
    },
    pool: {
      min: 0,
      max: poolSize,
      afterCreate(connection: pg.Client, done: (error: null, connection: pg.Client) => void) {
        destroyWhenSilent(connection, url, silenceMs);
        readOnly?.watch(connection);
        if (pooled) adaptToTransactionPooler(connection, settings);
        else {
          rememberColumns(connection);
          beginWithFirstStatement(connection);
        }
        sendTogether(connection);
        done(null, connection);
      },
      ...(readOnly && { validate: readOnly.isGood }),
    },
    acquireConnectionTimeout: Math.max(acquireMs, bounds.acquireMs),
    // Keep the values of a statement out of error messages.
    compileSqlOnError: false,
    // Otherwise Knex would print to standard output.
    log: knexLog(log),
  });
  pool.client.pool?.on?.('error', (error: Error) => log.warn({ err: error }, 'postgres pool'));
  return pool;
}

/** The driver's query function, as Knex and direct callers use it. */
type Query = (statement: { text?: string } | string, ...more: unknown[]) => unknown;

/** Sends Knex's `BEGIN` together with the first statement of the transaction. */
function beginWithFirstStatement(connection: pg.Client): void {
  const send = connection.query.bind(connection) as Query;
  const query: Query = (statement, ...more) => {
    const [answer] = more;
    const begins = typeof statement === 'object' && statement.text === 'BEGIN;';
    if (!begins || typeof answer !== 'function') return send(statement, ...more);
    // If BEGIN fails, nothing may run outside the transaction, so close the connection.
    send(statement, (error: Error | null) => error && streamOf(connection).destroy(error));
    return answer(null, { command: 'BEGIN', rows: [] });
  };
  connection.query = query as pg.Client['query'];
}

/** Writes all statements sent in one turn of the event loop to the socket at once. */
function sendTogether(connection: pg.Client): void {
  const send = connection.query.bind(connection) as Query;
  let isCorked = false;
  const query: Query = (...given) => {
    if (!isCorked) {
      isCorked = true;
      const stream = streamOf(connection);
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return send(...given);
  };
  connection.query = query as pg.Client['query'];
}

const streamOf = ({ connection }: pg.Client): Socket =>
  (connection as unknown as { stream: Socket }).stream;

/** Connections younger than this already lead to the new server. */
const SETTLED_MS = 1_000;

interface ReadOnlyGuard {
  /** Watches a new connection. */
  watch(connection: pg.Client): void;
  /** Closes all older connections. Call it when a connection turns out to be read-only. */
  found(): void;
  isGood(connection: pg.Client): boolean;
}

/**
 * After a failover, our connections may still lead to the old primary, which rejects every write. Once a write is
 * rejected, all connections opened before then are closed when they are next taken from the pool.
 */
export function createReadOnlyGuard(log: Logger): ReadOnlyGuard {
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

/** Longer than the limit for most statements. */
const SILENCE_MS = 35_000;
/** Idle connections are probed after this time, so that firewalls do not drop them and a lost host is noticed. */
export const KEEP_ALIVE_MS = 10_000;

/**
 * Closes a connection that awaits a result from a host that is gone without closing it (a crashed host, a firewall that
 * dropped its state). The kernel would take 15 minutes to notice. Three kinds of silent connections stay open: those
 * that await nothing, since a transaction may hold a lock as long as its owner needs; those whose statement is still
 * running, which we ask the server over another connection; and those that received data in the meantime, since a busy
 * process may not have read the result yet.
 */
function destroyWhenSilent(connection: pg.Client, url: string, silenceMs: number): void {
  const stream = streamOf(connection);
  stream.setTimeout(silenceMs, async () => {
    const { processID, readyForQuery } = connection as unknown as WireState;
    const passed = () => stream.bytesWritten + stream.bytesRead;
    const before = passed();
    const isFine = readyForQuery || (await hasActiveStatement(url, processID)) || passed() > before;
    if (isFine) destroyWhenSilent(connection, url, silenceMs);
    else stream.destroy(new Error('Connection terminated: the server says nothing more'));
  });
}

/** Session state of the driver that is missing from its types. */
interface WireState {
  processID: number;
  /** Whether every sent statement has a result. */
  readyForQuery: boolean;
}

/** Returns whether the server is running a statement of the session. Asks twice if it does not answer in time. */
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
