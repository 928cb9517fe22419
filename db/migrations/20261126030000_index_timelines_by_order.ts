import type { Knex } from 'knex';

export const config = { transaction: false };

/** Will be the primary key of timelines, as the key of a partitioned table begins with what it is partitioned by. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists order_timeline_key');
  await knex.raw(
    'create unique index concurrently order_timeline_key on order_timeline (order_id, id)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists order_timeline_key');
}
