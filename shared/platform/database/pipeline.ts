import type { Knex } from 'knex';
import { isOfAbortedTransaction } from './database-errors.ts';
import type { Tx } from './postgres.ts';

/**
 * The statements of a transaction whose results nobody needs. Each travels with those that are sent after it, in this
 * order, instead of waiting for the answer to the one before. One that fails fails the transaction.
 */
export class Pipeline {
  readonly sql: Tx;
  readonly #answers: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;

  constructor(sql: Tx) {
    this.sql = sql;
  }

  /**
   * Sends a statement; resolved once it is on its way. With `check`, which is told how many rows it changed, it may
   * still be refused: by the error that is returned.
   */
  send(statement: Knex.Raw, check?: (rowCount: number) => Error | undefined): Promise<void> {
    return new Promise((resolve) => {
      const fail = (error: unknown) => {
        this.#failure ??= { error };
        resolve();
      };
      statement.on('query', () => resolve());
      this.#answers.push(
        statement.then(({ rowCount }: { rowCount: number | null }) => {
          const refusal = check?.(rowCount ?? 0);
          if (refusal) fail(refusal);
        }, fail),
      );
    });
  }

  /** Waits for the answers to all that was sent. @throws the first failure */
  async settle(): Promise<void> {
    await Promise.all(this.#answers.splice(0));
    if (this.#failure) throw this.#failure.error;
  }

  /** Why the transaction failed, where `error` only says that a statement before it did. */
  async causeOf(error: unknown): Promise<unknown> {
    if (!isOfAbortedTransaction(error)) return error;
    await Promise.all(this.#answers);
    return this.#failure?.error ?? error;
  }
}
