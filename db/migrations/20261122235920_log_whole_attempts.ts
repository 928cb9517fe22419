import type { Knex } from 'knex';

/** The log of attempts keeps what was sent and what came back. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_attempts
      -- Without the values of the partner's own headers.
      add column request_headers jsonb,
      add column response_headers jsonb,
      -- The first 4 kB of the answer. response_excerpt is its beginning, for the release before.
      add column response_body text
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table webhook_attempts drop column request_headers, drop column response_headers,
      drop column response_body
  `);
}
