import knexModule, { type Knex } from 'knex';

/** Tables whose rows nobody may change: the service only adds and reads them. */
const APPEND_ONLY = ['audit_log', 'audit_chain', 'ledger_entries', 'ledger_postings', 'documents'];
/** Tables that only migrations write to. */
const READ_ONLY = ['knex_migrations', 'knex_migrations_lock'];

/**
 * Gives the service's role access to the rows of all tables and nothing else: it can't change the schema, truncate a
 * table, or rewrite the ledger, the audit trail or issued documents. Run it after each migration; running it again
 * changes nothing.
 * @param ownerUrl connects as the role that owns the tables
 * @throws Error if there is no such role
 */
export async function grantToService(ownerUrl: string, role: string): Promise<void> {
  const knex = knexModule({ client: 'pg', connection: ownerUrl, pool: { min: 1, max: 1 } });
  try {
    await knex.transaction(async (tx) => {
      const grant = (text: string, tables?: readonly string[]) =>
        tx.raw(
          text.replace('TABLES', () => (tables ?? []).map(() => '??').join(', ')),
          [...(tables ?? []), role],
        );
      await grant('revoke all on all tables in schema public from ??');
      await grant('grant usage on schema public to ??');
      await grant('grant select, insert, update, delete on all tables in schema public to ??');
      await grant('grant usage on all sequences in schema public to ??');
      await grant('grant execute on all functions in schema public to ??');
      await grant('revoke update, delete on TABLES from ??', APPEND_ONLY);
      // Partitions created later get no rights of their own either: rows are written through the parent table.
      const partitions = await partitionsOf(tx, APPEND_ONLY);
      if (partitions.length > 0) await grant('revoke all on TABLES from ??', partitions);
      await grant('revoke insert, update, delete on TABLES from ??', READ_ONLY);
    });
  } finally {
    await knex.destroy();
  }
}

async function partitionsOf(tx: Knex.Transaction, tables: readonly string[]): Promise<string[]> {
  const { rows } = await tx.raw(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     join pg_class p on p.oid = i.inhparent where p.relname = any(?)`,
    [[...tables]],
  );
  return rows.map(({ name }: { name: string }) => name);
}
