import { isOfAbortedTransaction } from './database-errors.ts';
import type { Tx } from './postgres.ts';

/**
 * The statements of a transaction whose results nobody needs. They are sent in order without waiting for earlier
 * results, and travel with later statements or the COMMIT. If one fails, the transaction fails: Postgres then turns the
 * COMMIT into a rollback.
 */
export class Pipeline {
  readonly sql: Tx;
  readonly #answers: Promise<void>[] = [];
  readonly #decisions: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;

  constructor(sql: Tx) {
    this.sql = sql;
  }

  /** Adds the result of a sent statement. Only its failure matters. */
  add(answer: Promise<unknown>): void {
    this.#answers.push(this.#watch(answer));
  }

  /** Adds a result that may be a failure even though Postgres accepted the statement. The COMMIT waits for it. */
  addDecision(answer: Promise<unknown>): void {
    this.#decisions.push(this.#watch(answer));
  }

  /** Waits for all added decisions before the COMMIT. @throws the first known failure */
  async decided(): Promise<void> {
    await Promise.all(this.#decisions.splice(0));
    if (this.#failure) throw this.#failure.error;
  }

  /** Waits for the results of all sent statements. @throws the first failure */
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

  /** Returns the original failure of the transaction if `error` only says that an earlier statement failed. */
  async causeOf(error: unknown): Promise<unknown> {
    if (!isOfAbortedTransaction(error)) return error;
    await Promise.all([...this.#decisions, ...this.#answers]);
    return this.#failure?.error ?? error;
  }
}
