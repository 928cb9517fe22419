import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import * as store from './ops-statement.store.ts';

export type { OpsStatement, StoredStatus } from './ops-statement.store.ts';

/** Stored statements of all partners, newest period first; `next` goes on below the last of the page. */
export async function listStatementsForOps(
  { db }: { db: Database },
  filter: store.OpsStatementFilter,
): Promise<{ statements: store.OpsStatement[]; next: string | null }> {
  const found = await store.listStatementsForOps(db.knex, { ...filter, limit: filter.limit + 1 });
  const statements = found.slice(0, filter.limit);
  return { statements, next: found.length > filter.limit ? (statements.at(-1)?.id ?? null) : null };
}

/** A stored statement of any partner. @throws not_found */
export async function getStatementForOps(
  { db }: { db: Database },
  id: string,
): Promise<store.OpsStatement> {
  const statement = await store.findStatementForOps(db.knex, id);
  if (!statement) throw fail('not_found', { message: 'No settlement has this id.' });
  return statement;
}
