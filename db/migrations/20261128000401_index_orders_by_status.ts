import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds and counts the orders with a status, by id. Replaces the index that only covered open work. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_by_status');
  await knex.raw('create index concurrently orders_by_status on orders (environment, status, id)');
  await knex.raw('drop index concurrently if exists orders_open_work');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_open_work');
  await knex.raw(
    "create index concurrently orders_open_work on orders (status, created_at) where status in ('MANUAL_REVIEW', 'EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')",
  );
  await knex.raw('drop index concurrently if exists orders_by_status');
}
