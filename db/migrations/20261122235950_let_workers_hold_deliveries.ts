import type { Knex } from 'knex';

/** A delivery under way belongs to a worker. `lease_until` and `without_job` are the release's before. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table webhook_deliveries add column worker_id text collate "C"');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table webhook_deliveries drop column worker_id');
}
