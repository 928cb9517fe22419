import type { Knex } from 'knex';

/**
 * Who the domain of an order is registered for, sealed, and what an order waits for. An order that waits for nothing
 * has no action.
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
