import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // It waits for every transaction that is older, and nobody waits for it.
  await knex.raw('set lock_timeout = 0');
  await knex.raw('drop index concurrently if exists orders_of_a_later_version');
  await knex.raw(
    'create index concurrently orders_of_a_later_version on orders (of_a_later_version)',
  );
}

export async function down(): Promise<void> {}
