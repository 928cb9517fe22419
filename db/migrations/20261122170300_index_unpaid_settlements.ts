import type { Knex } from 'knex';

export const config = { transaction: false };

/** The statements that wait for their payment, for the count of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists settlements_unpaid');
  await knex.raw(`create index concurrently settlements_unpaid
    on settlements (due_at, amount_owed_cents) where status = 'closed'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists settlements_unpaid');
}
