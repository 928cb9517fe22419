import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the few names listed within a period among all names ever listed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists listings_by_time');
  await knex.raw('create index concurrently listings_by_time on listings (environment, listed_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists listings_by_time');
}
