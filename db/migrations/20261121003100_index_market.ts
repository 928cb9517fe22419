import type { Knex } from 'knex';

/**
 * The public market: LIVE domains that are listed, newest first or by name, all of them or of one suffix or
 * category. Each order has an index, so that a page costs the same wherever it is.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index listings_market_newest on listings (listed_at, id)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_newest_of_tld on listings (tld, listed_at, id)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_newest_of_category on listings (lower(category), listed_at, id)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_domain on listings (domain)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_domain_of_tld on listings (tld, domain)
      where environment = 'LIVE' and status = 'listed';
    create index listings_market_domain_of_category on listings (lower(category), domain)
      where environment = 'LIVE' and status = 'listed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `drop index listings_market_newest, listings_market_newest_of_tld,
       listings_market_newest_of_category, listings_market_domain, listings_market_domain_of_tld,
       listings_market_domain_of_category`,
  );
}
