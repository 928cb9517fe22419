import type { Knex } from 'knex';

export const config = { transaction: false };

/** Deliveries under way are found by their endpoint's index; the one of their leases was written for nothing. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists webhook_deliveries_by_lease');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists webhook_deliveries_by_lease
    on webhook_deliveries (lease_until) where state = 'dispatched'`);
}
