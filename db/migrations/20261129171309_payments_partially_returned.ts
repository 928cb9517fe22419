import type { Knex } from 'knex';

/** How much of a payment was refunded by hand at the provider in total, while it is less than all of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table payments add column returned_cents bigint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table payments drop column returned_cents');
}
