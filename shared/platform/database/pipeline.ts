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

  /** Takes the answer to a statement that was sent; only whether it failed matters. */
  add(answer: Promise<unknown>): void {
    const failed = (error: unknown) => {
      this.#failure ??= { error };
    };
    this.#answers.push(answer.then(() => {}, failed));
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
