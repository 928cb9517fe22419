import type { Knex } from 'knex';

/** The days that were counted are counted again, for the checkouts of partners. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('delete from daily_counts');
}

export async function down(): Promise<void> {}
