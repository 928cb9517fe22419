import type { Knex } from 'knex';

/** Says which sale of its listing an order is. Until now, every listing was sold once. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table orders add column sale_number integer default 1 not null');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table orders drop column sale_number');
}
