import type { Knex } from 'knex';

/**
 * Reopens the listings that `count_deals_as_next_sales` numbered, as a deal does now: without the terms of the owner
 * who sold the domain before, so that it does not return to the market with them if the deal is undone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `update listings set reopened_at = now(),
       delisted_at = case when delisted_at = '-infinity' then delisted_at else now() end,
       floor_price_cents = null, offers_accepted = false, description = null
     where status = 'sold' and sale_number > 1 and reopened_at is null`,
  );
}

/** The previous version reads these listings, too. */
export async function down(): Promise<void> {}
