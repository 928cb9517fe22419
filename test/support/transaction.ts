import type { Tx } from '../../shared/platform/database/postgres.ts';

/** A query that Knex built, and has not sent yet. */
interface BuiltQuery<T> {
  connection(connection: object): PromiseLike<T>;
}

/** Runs a query that Knex built in one of our transactions, which know nothing of Knex. */
export async function runIn<T>({ client }: Tx, query: BuiltQuery<T>): Promise<T> {
  return query.connection(await client.acquireConnection());
}
