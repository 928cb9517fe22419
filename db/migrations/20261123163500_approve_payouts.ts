import type { Knex } from 'knex';

/** Who let a large payout be paid, and when. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table payouts add column approved_by text, add column approved_at timestamptz',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table payouts drop column approved_by, drop column approved_at');
}
