import type { Knex } from 'knex';

/** A purchase that a person is to look at before its payment. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table checkout_sessions
    add column review_since timestamptz,
    add column review_reasons text[] not null default '{}',
    add column cleared_reasons text[] not null default '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table checkout_sessions
    drop column review_since, drop column review_reasons, drop column cleared_reasons`);
}
