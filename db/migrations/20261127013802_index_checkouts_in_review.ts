import type { Knex } from 'knex';

export const config = { transaction: false };

/** The purchases that wait for a person, by their ids. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists checkout_sessions_in_review');
  await knex.raw(`create index concurrently checkout_sessions_in_review on checkout_sessions (id)
    where status = 'open' and review_since is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists checkout_sessions_in_review');
}
