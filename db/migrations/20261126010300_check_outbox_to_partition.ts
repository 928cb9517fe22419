import type { Knex } from 'knex';

/** Reads all jobs while they are written, so that the next migration need not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table outbox validate constraint outbox_before');
}

export async function down(): Promise<void> {}
