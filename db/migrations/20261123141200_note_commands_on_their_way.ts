import type { Knex } from 'knex';

/** Until when a process may be sending a command to a registry. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table registrar_commands add column busy_until timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table registrar_commands drop column busy_until');
}
