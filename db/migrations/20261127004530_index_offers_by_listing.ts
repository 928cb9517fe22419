import type { Knex } from 'knex';

export const config = { transaction: false };

/** What a partner offered for a listing, and which accepted offers it gave back. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists offers_by_listing');
  await knex.raw(
    'create index concurrently offers_by_listing on offers (listing_id, partner_id, created_at)',
  );
  await knex.raw('drop index concurrently if exists quotes_released_offers');
  await knex.raw(`create index concurrently quotes_released_offers on quotes (listing_id)
    where offer_id is not null and state = 'released'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists quotes_released_offers');
  await knex.raw('drop index concurrently if exists offers_by_listing');
}
