import type { Knex } from 'knex';

/** The quote that a checkout session took over, with its price and its time. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table checkout_sessions add column quote_id text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table checkout_sessions drop column quote_id');
}
