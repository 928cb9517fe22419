import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the bulk jobs of an owner, newest first. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists bulk_jobs_by_owner');
  await knex.raw('create index concurrently bulk_jobs_by_owner on bulk_jobs (user_id, id)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists bulk_jobs_by_owner');
}
