import type { Knex } from 'knex';

export const config = { transaction: false };

/** Pings, which are no part of the history, by age: they go after their deliveries, which go by the week. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists events_pings');
  await knex.raw('create index concurrently events_pings on events (id) where position is null');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists events_pings');
}
