import type { Knex } from 'knex';

/**
 * When a listing was taken off the market. A quote that was out by then is still honoured: should such a
 * sale be taken back, the domain must not return to a market that its owner has left.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table listings add column delisted_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column delisted_at');
}
