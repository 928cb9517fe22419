import type { Knex } from 'knex';

/** Finds the renewals that are paid but not done: they are few, and staff look at them often. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index renewals_paid on renewals (id) where status = 'paid'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index renewals_paid');
}
