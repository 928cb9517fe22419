import type { Knex } from 'knex';

/** Reads both logs while they are written, so that the next migration need not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_attempts validate constraint webhook_attempts_before;
    alter table api_requests validate constraint api_requests_before;
  `);
}

export async function down(): Promise<void> {}
