import type { Knex } from 'knex';

/** What every recount of the ledger found, so that people can see when the last one was and what it said. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table ledger_checks (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      ok boolean not null,
      entries bigint not null,
      -- [{check, subject, problem, expected, actual}]
      imbalances jsonb not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table ledger_checks');
}
