import type { Knex } from 'knex';

/** The order that a quote became, so that its price and currency can be compared with it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table quotes add column order_id text collate "C"');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table quotes drop column order_id');
}
