import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds delisted names among the many that were sold. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists listings_delisted');
  await knex.raw(
    `create index concurrently listings_delisted on listings (environment, domain) where status = 'delisted'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists listings_delisted');
}
