import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the accepted offers whose buyers are due for erasure. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists offers_accepted_with_buyers');
  await knex.raw(
    `create index concurrently offers_accepted_with_buyers on offers (quote_expires_at)
     where buyer_email is not null and status = 'ACCEPTED'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists offers_accepted_with_buyers');
}
