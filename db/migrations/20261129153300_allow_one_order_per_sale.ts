import type { Knex } from 'knex';

export const config = { transaction: false };

/** Allows one live order per sale of a listing. The new index replaces the old one only once it is complete. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_one_per_sale');
  await knex.raw(
    `create unique index concurrently orders_one_per_sale on orders (listing_id, sale_number)
     where status not in ('REFUNDED', 'CANCELLED')`,
  );
  await knex.raw('drop index concurrently if exists orders_one_sale_per_listing');
}

/** Fails once a listing was sold twice. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists orders_one_sale_per_listing');
  await knex.raw(
    `create unique index concurrently orders_one_sale_per_listing on orders (listing_id)
     where status not in ('REFUNDED', 'CANCELLED')`,
  );
  await knex.raw('drop index concurrently if exists orders_one_per_sale');
}
