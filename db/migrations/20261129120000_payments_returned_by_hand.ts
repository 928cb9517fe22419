import type { Knex } from 'knex';

/** When the provider reported that a payment was fully refunded there by hand, without a refund on our side. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table payments add column returned_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table payments drop column returned_at');
}
