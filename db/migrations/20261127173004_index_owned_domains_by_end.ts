import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the domains that expire soon, whether or not they renew automatically. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists owned_domains_by_end');
  await knex.raw('create index concurrently owned_domains_by_end on owned_domains (expires_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists owned_domains_by_end');
}
