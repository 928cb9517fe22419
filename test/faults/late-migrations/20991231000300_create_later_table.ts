import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table of_a_later_version (id bigint primary key)');
}

export async function down(): Promise<void> {}
