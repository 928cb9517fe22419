import type { Knex } from 'knex';

/** The public market by price, for signed-in callers: all of it, or of one suffix or category. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index listings_market_price on listings (price_cents, id)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_price_of_tld on listings (tld, price_cents, id)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_price_of_category on listings (lower(category), price_cents, id)
      where environment = 'LIVE' and status = 'listed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `drop index listings_market_price, listings_market_price_of_tld,
       listings_market_price_of_category`,
  );
}
