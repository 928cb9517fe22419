import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from './logger.ts';
import { createReadReplica } from './read-replica.ts';

/** A transaction; a function that takes one never opens, commits, or talks to anything but Postgres. */
export type Tx = Knex.Transaction;
/** Either: for reads that work inside and outside of a transaction. */
export type Sql = Knex | Tx;

export interface Database {
  knex: Knex;
  /**
   * Runs a read that may be two seconds late: on the replica when there is one and it keeps up, on the primary
   * otherwise. Never for what decides about a write.
   */
  read<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction and commits. Deadlocks and serialization failures run it again, at most
   * twice. If `work` asked for it with {@link wakeAfterCommit}, the relay is woken after the commit.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Tells the worker fleet that due work was committed: a NOTIFY, one for all commits of some milliseconds, outside any transaction. */
  wakeWorkers(): void;
  close(): Promise<void>;
}

const WAKE_CHANNEL = 'outbox_wake';
/** The first wake-up goes out at once, and those of the next milliseconds as one. */
const WAKE_PAUSE_MS = 10;
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 3;

/** int8 arrives as text; every amount and id of ours is a safe integer, and anything else is a bug. */
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of the safe range: ${text}`);
  return value;
});
/** sum(bigint) is numeric; ours are integers. */
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => Number(text));

const statementNames = new Map<string, string>();

/**
 * `sql.raw`, planned once a connection instead of once a call: for the statements of the hot paths. Name
 * the columns in them; `select *` would break on the connections that are open while a migration adds one.
 */
export function prepared(sql: Sql, text: string, bindings: object): Knex.Raw {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url');
    statementNames.set(text, name);
  }
  return sql.raw(text, bindings as Knex.ValueDict).options({ name });
}

const waking = new WeakSet<Tx>();

/** Wakes the relay once this transaction has committed. */
export function wakeAfterCommit(tx: Tx): void {
  waking.add(tx);
}

export interface DatabaseOptions {
  url: string;
  /** Of a replica; empty is none. */
  readUrl: string;
  poolSize: number;
  applicationName: string;
  log: Logger;
  /** How long a connection may say nothing before its server is asked whether it is at work. */
  silenceMs?: number;
}

/** A pool of connections. Statements and forgotten transactions are bounded in time. */
export function createDatabase(options: DatabaseOptions): Database {
  const knex = openPool(options, options.url, { session: '', acquireMs: 5_000, queryMs: 0 });
  const replica = options.readUrl
    ? createReadReplica(knex, openPool(options, options.readUrl, REPLICA), options.log)
    : undefined;

  let wakeTimer: NodeJS.Timeout | undefined;
  let wokeAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  const wakeWorkers = () => {
    if (wakeTimer || closed) return;
    const notify = () => {
      wakeTimer = undefined;
      wokeAt = performance.now();
      // A lost wake-up costs one poll interval and nothing else.
      knex.raw(`select pg_notify('${WAKE_CHANNEL}', '')`).catch(() => {});
    };
    wakeTimer = setTimeout(notify, Math.max(0, wokeAt + WAKE_PAUSE_MS - performance.now()));
    wakeTimer.unref();
  };

  return {
    knex,
    read: replica ? replica.read : (query) => query(knex),
    wakeWorkers,
    async transact(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          let wake = false;
          const result = await knex.transaction(async (tx) => {
            const value = await work(tx);
            wake = waking.has(tx);
            return value;
          });
          if (wake) wakeWorkers();
          return result;
        } catch (error) {
          const code = (error as { code?: string }).code ?? '';
          if (!RETRYABLE.has(code) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
    async close() {
      closed = true;
      clearTimeout(wakeTimer);
      await replica?.close();
      await knex.destroy();
    },
  };
}

/** Nothing is written through it, and the primary is near when it does not answer. */
const REPLICA = {
  session: ' -c default_transaction_read_only=on',
  acquireMs: 1_000,
  queryMs: 5_000,
};

function openPool(
  { poolSize, applicationName, log, silenceMs = SILENCE_MS }: DatabaseOptions,
  url: string,
  { session, acquireMs, queryMs }: typeof REPLICA,
): Knex {
  const pool = knexModule({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      ...(queryMs > 0 && { query_timeout: queryMs }),
      options: `-c statement_timeout=30000 -c idle_in_transaction_session_timeout=15000 -c jit=off${session}`,
    },
    pool: {
      min: 0,
      max: poolSize,
      afterCreate(connection: pg.Client, done: (error: null, connection: pg.Client) => void) {
        endWhenDead(connection, url, silenceMs);
        done(null, connection);
      },
    },
    acquireConnectionTimeout: acquireMs,
    // An error message must not hold the values of its statement.
    compileSqlOnError: false,
    // Knex would print to the standard output otherwise.
    log: knexLog(log),
  });
  pool.client.pool?.on?.('error', (error: Error) => log.warn({ err: error }, 'postgres pool'));
  return pool;
}

/** Longer than a statement takes, but for the few that may take more. */
const SILENCE_MS = 35_000;

/**
 * Ends a connection whose other side went without a word (a host that vanished, a firewall that forgot), which
 * the kernel would take a quarter of an hour to notice. One that has a statement at work is let be: the server
 * is asked, over another connection.
 */
function endWhenDead(connection: pg.Client, url: string, silenceMs: number): void {
  const { stream } = connection.connection as unknown as { stream: Socket };
  const { processID } = connection as unknown as { processID: number };
  stream.setTimeout(silenceMs, async () => {
    if (await isAtWork(url, processID)) endWhenDead(connection, url, silenceMs);
    else stream.destroy(new Error('Connection terminated: the server says nothing more'));
  });
}

async function isAtWork(url: string, processID: number): Promise<boolean> {
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
  } catch {
    return false;
  } finally {
    client.end().catch(() => {});
  }
}

function knexLog(log: Logger): NonNullable<Knex.Config['log']> {
  const say = (level: 'debug' | 'warn') => (message: unknown) =>
    log[level]({ detail: String(message) }, 'knex');
  return { debug: say('debug'), deprecate: say('debug'), warn: say('warn'), error: say('warn') };
}

/** Calls `onWake` for every wake-up; reconnects by itself until `stop()`. The poll of the caller stays the truth. */
export function listenForWake(
  url: string,
  log: Logger,
  onWake: () => void,
): { stop(): Promise<void> } {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: 'wake-listener',
    });
    client = next;
    next.on('notification', onWake);
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
