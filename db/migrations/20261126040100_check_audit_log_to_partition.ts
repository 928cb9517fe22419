import type { Knex } from 'knex';

/** Reads all entries while others are written, so that the next migration need not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table audit_log validate constraint audit_log_before');
}

export async function down(): Promise<void> {}
