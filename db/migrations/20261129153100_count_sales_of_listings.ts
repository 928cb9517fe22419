import type { Knex } from 'knex';

/** Numbers the sales of a listing, and says when its last buyer put it up for sale again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table listings add column sale_number integer default 1 not null,
       add column reopened_at timestamptz`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column reopened_at, drop column sale_number');
}
