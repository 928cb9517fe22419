import type { Knex } from 'knex';

export const config = { transaction: false };

/** Sandbox listings by price, for searches that bound it; the market has such an index for LIVE. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists listings_sandbox_price');
  await knex.raw(`create index concurrently listings_sandbox_price on listings (price_cents, id)
    where environment = 'SANDBOX' and status = 'listed'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists listings_sandbox_price');
}
