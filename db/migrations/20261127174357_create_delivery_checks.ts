import type { Knex } from 'knex';

/** The steps that staff ticked off for manual deliveries. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create table delivery_checks (
    order_id text collate "C" not null references orders,
    name text not null,
    ticked_by text not null,
    ticked_at timestamptz not null,
    primary key (order_id, name)
  )`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table delivery_checks');
}
