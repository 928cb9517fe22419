import type { Knex } from 'knex';
import { SECOND } from '../clock.ts';
import { unlessLate } from '../concurrency/deadline.ts';
import { Pipeline } from './pipeline.ts';

/** The part of a Knex pool we use. A transaction returns its one connection to every caller. */
export interface Connections {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): void;
  /** Notifies the listeners that watch the statements of a Knex. */
  emit(event: 'query', statement: { sql: string; bindings: readonly unknown[] }): void;
}

/** A connection of the driver. */
interface Connection {
  query<Row>(
    statement: { text: string; values?: unknown[]; name?: string },
    answer: (error: Error | null, result: Result<Row>) => void,
  ): void;
}

/** The result of a statement. */
export interface Result<Row> {
  /** What Postgres did: `SELECT`, or `ROLLBACK` for a COMMIT after a failed statement. */
  command: string;
  rows: Row[];
  /** Null for a statement without rows. */
  rowCount: number | null;
}

/** A transaction. A function that takes one never opens or commits transactions, and calls only Postgres. */
export interface Tx {
  readonly isTransaction?: boolean;
  readonly client: Connections;
  /** Whether its COMMIT or ROLLBACK was sent. */
  isCompleted(): boolean;
}

/** The work of a transaction. Its pipeline sends statements whose results are not needed. */
export type Work<T> = (tx: Tx, pipeline: Pipeline) => Promise<T>;

/** How long a failed transaction waits for its ROLLBACK. */
const ROLLBACK_MS = 5 * SECOND;

/**
 * Runs `work` in a transaction and commits. Knex's own transactions each build another Knex, which takes longer than
 * two statements.
 * @throws what `work` throws, or Error if it ignored a failed statement: Postgres then commits nothing
 */
export async function runTransaction<T>(knex: Knex, work: Work<T>): Promise<T> {
  const pool: Connections = knex.client;
  const connection = await pool.acquireConnection();
  try {
    const tx = new OpenTransaction(pool, connection);
    const pipeline = new Pipeline(tx);
    await tx.begin();
    const result = await workOrRollBack(tx, pipeline, work);
    const done = await tx.end('COMMIT;');
    // Postgres reports a successful COMMIT even if an earlier statement failed and it rolled back.
    await pipeline.settle();
    if (done === 'ROLLBACK') throw new Error('rolled back: a failed statement was ignored');
    return result;
  } finally {
    pool.releaseConnection(connection);
  }
}

async function workOrRollBack<T>(
  tx: OpenTransaction,
  pipeline: Pipeline,
  work: Work<T>,
): Promise<T> {
  try {
    const result = await work(tx, pipeline);
    await pipeline.decided();
    return result;
  } catch (error) {
    const cause = await pipeline.causeOf(error);
    // On a broken connection it fails, too; what matters is why.
    await unlessLate(tx.end('ROLLBACK'), ROLLBACK_MS).catch(() => {});
    throw cause;
  }
}

/** A transaction on a connection of its own. */
class OpenTransaction implements Tx {
  readonly isTransaction = true;
  readonly client: Connections;
  readonly #connection: Connection;
  #isCompleted = false;

  constructor(pool: Connections, connection: Connection) {
    this.#connection = connection;
    this.client = {
      acquireConnection: () => Promise.resolve(connection),
      releaseConnection: () => {},
      emit: (event, statement) => pool.emit(event, statement),
    };
  }

  isCompleted(): boolean {
    return this.#isCompleted;
  }

  begin(): Promise<string> {
    return this.#run('BEGIN;');
  }

  /** Sends its last statement, and returns what Postgres did. */
  end(text: 'COMMIT;' | 'ROLLBACK'): Promise<string> {
    this.#isCompleted = true;
    return this.#run(text);
  }

  #run(text: string): Promise<string> {
    this.client.emit('query', { sql: text, bindings: [] });
    return new Promise((resolve, reject) => {
      this.#connection.query({ text }, (error, result) =>
        error ? reject(error) : resolve(result.command),
      );
    });
  }
}
