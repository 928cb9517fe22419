import type { Knex } from 'knex';

/**
 * The registrant of an order's domain, sealed, and what an order is waiting for: null if nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table orders add column action_required text');
  await knex.raw(`
    create table order_registrants (
      order_id text primary key references orders (id),
      sealed bytea not null,
      updated_at timestamptz not null
    )`);
  await knex.raw('create index order_registrants_updated_at on order_registrants (updated_at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table order_registrants');
  await knex.raw('alter table orders drop column action_required');
}
