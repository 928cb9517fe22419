import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds failed payouts among the many that were paid. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists payouts_failed');
  await knex.raw(
    "create index concurrently payouts_failed on payouts (id) where status = 'failed'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists payouts_failed');
}
