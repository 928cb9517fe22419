import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the LIVE listings whose registration was not looked at for longest. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists listings_registration_age');
  await knex.raw(`
    create index concurrently listings_registration_age on listings (registration_checked_at nulls first, id)
    where environment = 'LIVE' and status = 'listed'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists listings_registration_age');
}
