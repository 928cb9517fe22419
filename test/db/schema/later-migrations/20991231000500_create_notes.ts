import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('create table notes (id bigint primary key)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table notes');
}
