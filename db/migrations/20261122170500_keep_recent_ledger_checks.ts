import type { Knex } from 'knex';

/** From when on a recount went; null is the whole ledger. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table ledger_checks add column since timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table ledger_checks drop column since');
}
