import type { Knex } from 'knex';

/** Reads all timelines while they are written, so that the next migration need not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table order_timeline validate constraint order_timeline_before');
}

export async function down(): Promise<void> {}
