import type { Knex } from 'knex';

export const config = { transaction: false };

/** The deliveries that wait, by when they are due: whether anything is due is one look at its first entries. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists webhook_deliveries_next');
  await knex.raw(`create index concurrently webhook_deliveries_next
    on webhook_deliveries (next_attempt_at, endpoint_id) where state = 'pending'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists webhook_deliveries_next');
}
