import type { Knex } from 'knex';

/** The same of accounts at the payment provider. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table connected_accounts
      add column revision integer not null default 1,
      add column set_by text,
      add column usable_from timestamptz,
      add column approved_by text,
      add column approved_at timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table connected_accounts
      drop column revision, drop column set_by, drop column usable_from, drop column approved_by, drop column approved_at`);
}
