import type { Knex } from 'knex';

/** Until when a listing is locked once other rules of transfers come into force, and when they do. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table listings add column rules_change_at timestamptz, add column then_locked_until timestamptz',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column rules_change_at, drop column then_locked_until');
}
