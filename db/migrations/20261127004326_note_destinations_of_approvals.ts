import type { Knex } from 'knex';

/** The revisions of the partner's accounts that an approval covers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table payouts
      add column approved_bank integer,
      add column approved_provider integer`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table payouts drop column approved_bank, drop column approved_provider`);
}
