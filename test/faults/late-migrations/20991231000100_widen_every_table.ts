import type { Knex } from 'knex';

/**
 * Each table by itself, so that no lock is held while another one is waited for; those that have the column
 * already are left alone, so that a try goes on where the last one stopped.
 */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    `select relname from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition and relname not like 'knex%'
     and not exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'of_a_later_version')`,
  );
  for (const { relname: table } of rows) {
    await knex.raw('alter table ?? add column of_a_later_version text', [table]);
  }
}

export async function down(): Promise<void> {}
