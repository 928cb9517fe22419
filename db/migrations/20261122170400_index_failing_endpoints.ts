import type { Knex } from 'knex';

export const config = { transaction: false };

/** The webhook endpoints that need a look, for the count of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists webhook_endpoints_failing');
  await knex.raw(`create index concurrently webhook_endpoints_failing on webhook_endpoints (id)
    where (failing_since is not null or not active) and disabled_reason is distinct from 'removed'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists webhook_endpoints_failing');
}
