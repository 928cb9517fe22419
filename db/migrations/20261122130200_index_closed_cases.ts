import type { Knex } from 'knex';

export const config = { transaction: false };

/** The cases that ended without a deal and still name their buyer, by when. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists brokerage_cases_to_erase');
  await knex.raw(
    `create index concurrently brokerage_cases_to_erase on brokerage_cases (closed_at)
     where order_id is null and buyer_email <> ''`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists brokerage_cases_to_erase');
}
