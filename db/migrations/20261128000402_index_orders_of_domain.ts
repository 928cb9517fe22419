import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the orders of a domain, also across all partners. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_of_domain');
  await knex.raw(
    'create index concurrently orders_of_domain on orders (domain, partner_id, environment)',
  );
  await knex.raw('drop index concurrently if exists orders_by_domain');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_by_domain');
  await knex.raw(
    'create index concurrently orders_by_domain on orders (partner_id, environment, domain)',
  );
  await knex.raw('drop index concurrently if exists orders_of_domain');
}
