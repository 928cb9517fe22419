import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * The jobs that are not done, by state and queue: what monitoring counts, and what was given up. Finished jobs,
 * which are nearly all, are not in it. The table is vacuumed by a hundredth, so that what has been finished
 * since does not stand in the way at the head of its indexes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists outbox_open');
  await knex.raw(
    `create index concurrently outbox_open on outbox (state, queue, run_at) where state <> 'done'`,
  );
  await knex.raw(
    'alter table outbox set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table outbox reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)',
  );
  await knex.raw('drop index concurrently if exists outbox_open');
}
