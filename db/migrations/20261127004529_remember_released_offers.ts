import type { Knex } from 'knex';

/** When a quote was given back: one of an accepted offer closes the offers on its listing for a time. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table quotes add column released_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table quotes drop column released_at');
}
