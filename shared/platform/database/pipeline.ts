import { isOfAbortedTransaction } from './database-errors.ts';
import type { Tx } from './postgres.ts';

/**
 * The statements of a transaction whose results nobody needs. Each travels with those that are sent after it, in this
 * order, instead of waiting for the answer to the one before, and the last with the COMMIT. One that fails fails the
 * transaction: Postgres rolls back what has failed, also at a COMMIT.
 */
export class Pipeline {
  readonly sql: Tx;
  readonly #answers: Promise<void>[] = [];
  readonly #decisions: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;

  constructor(sql: Tx) {
    this.sql = sql;
  }

  /** Takes the answer to a statement that was sent; only whether Postgres refused it matters. */
  add(answer: Promise<unknown>): void {
    this.#answers.push(this.#watch(answer));
  }

  /** Takes an answer that may fail though Postgres took the statement: the COMMIT waits for it. */
  addDecision(answer: Promise<unknown>): void {
    this.#decisions.push(this.#watch(answer));
  }

  /** Waits until no answer can forbid the COMMIT but one that fails it. @throws the first failure that is known */
  async decided(): Promise<void> {
    await Promise.all(this.#decisions.splice(0));
    if (this.#failure) throw this.#failure.error;
  }

  /** Waits for the answers to all that was sent. @throws the first failure */
  async settle(): Promise<void> {
    await Promise.all([...this.#decisions.splice(0), ...this.#answers.splice(0)]);
    if (this.#failure) throw this.#failure.error;
  }

  async #watch(answer: Promise<unknown>): Promise<void> {
    try {
      await answer;
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Why the transaction failed, where `error` only says that a statement before it did. */
  async causeOf(error: unknown): Promise<unknown> {
    if (!isOfAbortedTransaction(error)) return error;
    await Promise.all([...this.#decisions, ...this.#answers]);
    return this.#failure?.error ?? error;
  }
}
