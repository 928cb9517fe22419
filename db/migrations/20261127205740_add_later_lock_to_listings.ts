import type { Knex } from 'knex';

/** When new transfer rules take effect for a listing, and how long it is locked under them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table listings add column rules_change_at timestamptz, add column then_locked_until timestamptz',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table listings drop column rules_change_at, drop column then_locked_until');
}
