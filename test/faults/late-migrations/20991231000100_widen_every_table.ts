import type { Knex } from 'knex';

/** Each table by itself, so that no lock is held while another one is waited for. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    `select relname from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition and relname not like 'knex%'`,
  );
  for (const { relname: table } of rows) {
    await knex.raw('alter table ?? add column if not exists of_a_later_version text', [table]);
  }
}

export async function down(): Promise<void> {}
