import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the payments with a status, by id. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists payments_by_status');
  await knex.raw(
    'create index concurrently payments_by_status on payments (environment, status, id)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists payments_by_status');
}
