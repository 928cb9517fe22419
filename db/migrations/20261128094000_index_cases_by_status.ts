import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the cases with a status, by id, among the many closed ones. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists brokerage_cases_by_status');
  await knex.raw(
    'create index concurrently brokerage_cases_by_status on brokerage_cases (status, id)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists brokerage_cases_by_status');
}
