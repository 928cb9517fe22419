import type { Knex } from 'knex';

/** Reads all deliveries while they are written, so that the next migration need not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table webhook_deliveries validate constraint webhook_deliveries_before');
}

export async function down(): Promise<void> {}
