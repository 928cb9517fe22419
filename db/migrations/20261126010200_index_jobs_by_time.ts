import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * What a claim of the relay reads from its beginning, in words that hide how few rows that are: else Postgres sorts all
 * that is due of several partitions while its statistics know of no backlog.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists outbox_by_time');
  await knex.raw(
    `create index concurrently outbox_by_time on outbox (run_at, id) where coalesce(state = 'pending', false)`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists outbox_by_time');
}
